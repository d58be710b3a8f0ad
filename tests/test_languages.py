import pytest

from assistant.text.asking import strip_asking
from assistant.text.languages import UNKNOWN, detect_language


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("de", "Welche Arbeiten behandeln Quantencomputer?"),
        ("de", "Leseerkennung in der Wildnis"),
        ("fr", "Quel gain énergétique Sorbet obtient-il par rapport à BERT ?"),
        ("es", "¿Cómo estima XAttention la importancia de los bloques?"),
        ("it", "Quali articoli trattano di reti neurali?"),
        ("pt", "Quais artigos tratam de aprendizado federado?"),
        ("nl", "Welke artikelen behandelen snellere aandacht?"),
        ("pl", "Które artykuły dotyczą sieci neuronowych?"),
        ("tr", "Hangi makaleler sinir ağları üzerine?"),
        ("zh", "LaCache 的 KV 缓存采用什么形状的模式？"),
        ("ja", "連合学習に関する論文はどれですか？"),
        ("ko", "연합 학습에 관한 논문은 무엇인가요?"),
        ("ru", "Какие статьи посвящены климату?"),
        ("ar", "ما هي الأوراق التي تتناول الشبكات العصبية؟"),
        ("th", "บทความใดเกี่ยวกับโครงข่ายประสาท"),
        ("sv", "Vilka artiklar handlar om neurala nätverk och hur?"),
        ("he", "אילו מאמרים עוסקים ברשתות נוירונים?"),
        (UNKNOWN, "რომელი სტატიები ეხება ნეირონულ ქსელებს?"),
    ],
)
def test_a_language_is_told_by_its_script_or_its_little_words(language: str, question: str) -> None:
    assert detect_language(question) == language


@pytest.mark.parametrize(
    "question",
    [
        "Which papers prune language models?",
        "transformer linear attention",
        "What does the β-VAE of 北京 do in de novo design?",
        "El Nino forecasts",
        "Primary pro-inflammatory cytokines suppress secondary pro- and anti-inflammatory mediators.",
        "tabflex pokerhand speed",
        "$\\ell_1$ multicalibration",
        "comment generation",
        "",
        "???",
    ],
)
def test_what_may_be_english_is_taken_for_english(question: str) -> None:
    assert detect_language(question) == "en"


@pytest.mark.parametrize(
    ("language", "question", "topic"),
    [
        ("de", "Welche Arbeiten befassen sich mit föderiertem Lernen?", "föderiertem Lernen"),
        ("fr", "Quels articles traitent de l'apprentissage fédéré ?", "l'apprentissage fédéré"),
        ("zh", "哪些论文研究蛋白质折叠？", "蛋白质折叠"),
        ("ja", "連合学習に関する論文はどれですか？", "連合学習"),
        ("ko", "연합 학습에 관한 논문은 무엇인가요?", "연합 학습"),
        ("ru", "Какие статьи посвящены климату?", "климату"),
        ("de", "Um welchen Faktor wird es schneller?", "Um welchen Faktor wird es schneller"),
        ("zh", "研究", "研究"),
    ],
)
def test_the_words_that_only_ask_for_papers_are_left_out(language: str, question: str, topic: str) -> None:
    assert strip_asking(question, language) == topic
