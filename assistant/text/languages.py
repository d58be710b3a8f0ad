"""Which language a question is in: by its script, else by the little words that each language has of its own."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

ENGLISH = "en"
UNKNOWN = "?"
"""A language that is none of those below."""

SUPPORTED = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())
"""What the second embedder was trained on."""

NAMES = {
    "ar": "Arabic",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "vi": "Vietnamese",
    "zh": "Chinese",
}

_SCRIPTS = {
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "HANGUL": "ko",
    "CJK": "zh",
    "CYRILLIC": "ru",
    "ARABIC": "ar",
    "THAI": "th",
    "HEBREW": "he",
    "DEVANAGARI": "hi",
    "GREEK": "el",
}
_FEW = 4
"""Letters of another script that an English question may have ("the β-VAE", "in 北京")."""

# Words that English does not have, or has so seldom that one of them tells.
_LITTLE_WORDS = {
    "de": """der die das dem den des ein eine einen einem einer eines und oder für mit von vom zum zur auf aus bei
    nach über unter zwischen durch gegen ohne um wie wer wo wann warum wieso welche welcher welches welchen welchem
    gibt es ist sind wird werden wurde wurden kann können hat haben nicht auch mehr als sich im zu beim sowie ihre
    seine dass basierte basierend""",
    "fr": """le la les un une des du de et ou pour avec sans sur sous dans par entre chez vers est sont quel quelle
    quels quelles qui que quoi comment pourquoi combien où ce cette ces cet il elle ils elles ne pas plus au aux
    existe peut peuvent être leur leurs son ses lequel laquelle dont y""",
    "es": """el la los las un una unos unas del de y o para con sin sobre en por entre hacia es son está están qué
    cuál cuáles quién cómo cuándo dónde cuánto cuánta cuántos cuántas que como este esta estos estas su sus no más
    se al hay existe puede pueden ser lo""",
    "it": """il lo la gli le un una uno del della dello dei degli delle di e o per con senza su tra fra nel nella
    nei nelle da dal dalla al alla è sono quale quali chi che cosa come perché quando dove quanto quanti questo
    questa più si esiste può possono essere""",
    "pt": """o os as um uma uns umas do da dos das de e ou para com sem sobre em por entre no na nos nas é são qual
    quais quem que como quando onde quanto quantos este esta estes isso não mais se ao à há existe pode podem ser
    pelo pela""",
    "nl": """de het een van en of voor met zonder op in uit bij naar tussen door tegen is zijn wordt worden welke
    wie wat waar waarom hoe hoeveel deze dit die dat niet meer dan er kan kunnen heeft hebben ook om te""",
    "pl": """i lub dla z ze bez na w we po przy między przez jest są jaki jaka jakie które który która kto co jak
    dlaczego kiedy gdzie ile ten ta te nie więcej się do od czy może można artykuły""",
    "tr": """ve veya için ile bir bu şu hangi nasıl neden ne kim kaç nerede değil daha çok olan olarak mi mı mu mü
    var makaleler üzerine göre""",
    "sv": """och eller för med utan på från hos till mellan genom mot är som vilken vilka vilket vem vad hur varför
    när det den ett inte mer än kan har att av finns""",
    "da": """og eller til med uden på fra hos mellem gennem mod er som hvilken hvilke hvilket hvem hvad hvordan
    hvorfor det den et ikke mere end kan har at af findes""",
    "fi": """ja tai mikä mitä mitkä miten kuka missä milloin miksi kuinka on ovat ei että se ne tämä nämä käyttävät
    koskevat""",
    "cs": """nebo pro bez mezi jsou jaký jaká jaké které který která kdo jak proč kdy kde kolik tento tato není více
    než jako aby""",
    "hu": """és vagy egy az nem hogyan miért mikor hol melyik milyen mely ki mi mennyi hány van vannak szóló szól""",
    "ro": """și sau pentru cu fără pe în din între este sunt care cine ce cum unde când cât câte acest această nu
    mai despre""",
    "id": """dan atau untuk dengan tanpa yang dari pada dalam adalah apa siapa bagaimana mengapa kapan mana berapa
    ini itu tidak lebih""",
    "vi": """và hoặc cho với không trên trong của từ là những các nào gì ai như thế tại sao khi bao nhiêu này đó bài
    báo""",
}
_ENGLISH_WORDS = frozenset(
    """the of and or for with without on in from by between is are was were be been which what who whom whose where
    when why how do does did can could will would should has have had not no more than that this these those it its
    their there a an as at to into over under about any all some papers paper methods method use uses used using
    show find list tell give me me's i we you they""".split()
)
_WORDS_OF = {language: frozenset(words.split()) - _ENGLISH_WORDS for language, words in _LITTLE_WORDS.items()}
_ENDINGS = {
    "de": re.compile(
        r"\w{3}(?:ungs?|ungen|keit|keiten|heit|heiten|ischen?|ischer|isches|lich|liche[nrs]?|ierte[nrs]?|ieren)$"
    ),
    "es": re.compile(r"\w{3}(?:ción|ciones|miento|mientos|idad|idades)$"),
    "fr": re.compile(r"\w{3}(?:ement|ité|ités|iques|euse|euses|aire|aires)$"),
    "it": re.compile(r"\w{3}(?:zione|zioni|amento|amenti|mente)$"),
    "pt": re.compile(r"\w{3}(?:ção|ções|idade|idades)$"),
    "nl": re.compile(r"\w{3}(?:heid|heden|ingen|elijke)$"),
    "pl": re.compile(r"\w{3}(?:ania|ów|ość|ości|owych|owej)$"),
}
_LONG = 5
_DOUBLE = frozenset({"comment", "combien", "entre", "existe"})
"""Long words that stand in English titles as well."""
_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=256)
def detect_language(question: str) -> str:
    """Return the language of a question as a code of two letters; UNKNOWN for another script, else English in doubt."""
    letters = [character for character in question if character.isalpha()]
    foreign = Counter(_script(letter) for letter in letters if not _is_latin(letter))
    if foreign and (foreign.total() > _FEW or foreign.total() * 2 > len(letters)):
        return "ja" if foreign["ja"] else foreign.most_common(1)[0][0]
    return _detect_latin(frozenset(word.lower() for word in _WORD.findall(question)))


def little_words(language: str) -> frozenset[str]:
    """Return the words of a language that say nothing of a topic; none are known of most scripts."""
    return _WORDS_OF.get(language, frozenset())


def _detect_latin(words: frozenset[str]) -> str:
    """Return the language whose little words and endings most of the words have; English has to be beaten."""
    english = len(words & _ENGLISH_WORDS)
    counts = {language: _count_own(words, language) for language in _WORDS_OF}
    best = max(counts, key=lambda language: counts[language])
    if not counts[best] or counts[best] <= english:
        return ENGLISH
    # One such word may be of a name or a title ("de novo", "El Nino") unless it is long or a letter is foreign too.
    long = any(len(word) >= _LONG for word in (words & _WORDS_OF[best]) - _DOUBLE)
    return best if counts[best] > 1 or (long and not english) or _has_marked_letter(words) else ENGLISH


def _count_own(words: frozenset[str], language: str) -> int:
    ending = _ENDINGS.get(language)
    ended = sum(ending.search(word) is not None for word in words) if ending else 0
    return len(words & _WORDS_OF[language]) + ended


def _has_marked_letter(words: frozenset[str]) -> bool:
    return any(not character.isascii() for word in words for character in word)


def _is_latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, "LATIN").startswith(("LATIN", "MODIFIER", "FULLWIDTH LATIN"))


def _script(letter: str) -> str:
    first = unicodedata.name(letter).partition(" ")[0]
    return _SCRIPTS.get(first, UNKNOWN)
