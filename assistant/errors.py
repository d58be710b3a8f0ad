"""Everything that can go wrong, as one tree.

AssistantError
    SettingsError         a setting is missing, unknown or wrong
    QuestionError         a question that cannot be asked: empty or too long
    PaperMissing          no paper has the id that was given
    CorpusError           a file cannot be read (path:line)
        UnknownFormat     no reader knows the file
    StoreError            the store cannot be used (its folder is named)
        StoreMissing      nothing is built yet
        StoreBusy         another process is writing; its id is named
        StoreDamaged      a file of the library is damaged; what to do is said
        StoreNewer        a newer version of the assistant made it
        StoreForbidden    the system does not let the user have a file of it
        StoreMismatch     built with another embedder or passage size; both are named
    EmbedderError         the embedder's files are missing or not the ones expected
    PromptError           a prompt file and its values do not match
    ModelError            the model did not answer
        ModelUnavailable  may work later: time-out, busy, server error
        ModelRefused      will not work: key, model name, request
            PromptTooLong the model's window is smaller than the prompt
    ServerError           the window or the API cannot be served: port, address, token
        ServerBusy        too much is asked at once; later it will do

A message is one line that says what, where and what to do. It never carries a key.
"""


class AssistantError(Exception):
    """Any failure that the assistant explains."""


class SettingsError(AssistantError):
    """A setting is missing, unknown or wrong."""


class QuestionError(AssistantError):
    """A question cannot be asked as it stands."""


class PaperMissing(AssistantError):
    """No paper of the library has the id that was given."""


class CorpusError(AssistantError):
    """A file or folder of papers cannot be read."""


class UnknownFormat(CorpusError):
    """No reader knows the format of a file."""


class StoreError(AssistantError):
    """The store cannot be used; `fault` is why in a few words, for a line that brings its own advice."""

    def __init__(self, message: str, fault: str = "") -> None:
        super().__init__(message)
        self.fault = fault or message


class StoreMissing(StoreError):
    """Nothing has been built in the store yet."""


class StoreBusy(StoreError):
    """Another process is writing to the store."""


class StoreDamaged(StoreError):
    """A file of the library is damaged beyond use."""


class StoreNewer(StoreError):
    """A newer version of the assistant made the library."""


class StoreForbidden(StoreError):
    """The system does not let the user have a file of the store."""


class StoreMismatch(StoreError):
    """The store was built with another embedder or passage size."""


class EmbedderError(AssistantError):
    """The embedder cannot be loaded."""


class PromptError(AssistantError):
    """A prompt file and the values given for it do not match."""


class ModelError(AssistantError):
    """The model did not answer."""


class ModelUnavailable(ModelError):
    """The model did not answer now and may answer later."""


class ModelRefused(ModelError):
    """The model will not answer until something is changed."""


class PromptTooLong(ModelRefused):
    """The model's window is smaller than the prompt."""


class ServerError(AssistantError):
    """The chat window or the API cannot be served."""


class ServerBusy(ServerError):
    """The server has too much to do at the moment, or is about to stop."""
