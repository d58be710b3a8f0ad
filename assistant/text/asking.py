"""The part of a question that only asks for papers, in other languages: "Welche Arbeiten befassen sich mit ..."."""

import re

from assistant.text.languages import little_words

# The words that name papers and what papers do; little words may stand among them.
_ASKING_WORDS = {
    "de": """arbeit arbeiten artikel paper papers studie studien beiträge veröffentlichungen behandeln behandelt
    befassen befasst beschäftigen beschäftigt untersuchen untersucht handeln handelt nenne nennen liste finde zeige such
    suche diskutieren vorstellen betreffen bitte""",
    "fr": """article articles papier papiers papers étude études travail travaux publications traite traitent parle
    parlent porte portent étudie étudient concerne concernent abordent discutent liste trouve trouver cherche
    montre existe""",
    "es": """artículo artículos paper papers trabajo trabajos estudio estudios publicaciones trata tratan habla hablan
    estudia estudian abordan discuten lista encuentra busca muestra hay existe existen algún""",
    "it": """articolo articoli paper papers lavoro lavori studio studi trattano tratta parlano parla studiano affrontano
    riguardano elenca trova cerca mostra esiste esistono""",
    "pt": """artigo artigos paper papers trabalho trabalhos estudo estudos tratam trata falam fala estudam abordam
    discutem lista liste encontre busque mostre existe existem algum""",
    "nl": """artikel artikelen paper papers werk werken studie studies gaan behandelen behandelt bespreken onderzoeken
    noem zoek toon over""",
    "pl": """artykuł artykuły prace praca badania badanie dotyczą dotyczy omawiają omawia opisują wymień znajdź
    pokaż temat""",
    "ru": """какие какая какой какое есть ли в на о об про по с работы работа статьи статья исследования посвящены
    посвящена рассматривают рассматривает изучают обсуждают касаются найди покажи перечисли теме""",
    "tr": """hangi makaleler makale çalışmalar çalışma var mı""",
}
_FIRST = {
    "zh": r"(?:请)?(?:列出|找出|找|给出|推荐)?(?:有没有|有哪些|哪些|哪篇|是否有|什么)?"
    r"(?:论文|文章|工作|文献)?(?:是)?(?:研究|讨论|涉及|探讨|关注|关于|介绍|有关)?(?:了|过)?",
    "ja": r"どの(?:論文|研究)が?",
    "ko": r"(?:어떤|어느) 논문(?:이|은|들이|들은)?",
}
_LAST = {
    "zh": r"(?:方面|相关)?的?(?:论文|文章|工作|文献|研究)(?:有哪些|有吗|吗)?[?？。.,，]*(?:请列出|列出来)?[?？。.]*$",
    "ja": r"(?:に関する|に関して|についての?|を扱う|を扱った|を研究した|の)(?:論文|研究|文献).*$",
    "ko": r"(?:에|을|를)? ?(?:관한|대한|다루는|다룬|연구한) ?(?:논문|연구|문헌).*$",
}
_WORD = re.compile(r"[^\W\d_]+")


def strip_asking(question: str, language: str) -> str:
    """Return what a question is about; the question itself when it does not ask for papers, or for nothing else."""
    if language in _FIRST:
        left = re.sub(_LAST[language], "", question)
        left = re.sub("^" + _FIRST[language], "", left.strip())
    else:
        left = _strip_words(question, language)
    return left.strip(" ?？!.。,，:;、¿") or question


def _strip_words(question: str, language: str) -> str:
    """Return the question from the first word on that neither names papers nor is a little one."""
    asking = frozenset(_ASKING_WORDS.get(language, "").split())
    little = little_words(language)
    asked = False
    for match in _WORD.finditer(question):
        word = match[0].lower()
        if word not in asking and word not in little:
            return question[match.start() :] if asked else question
        asked = asked or word in asking
    return question
