"""The HTTP application: routes, errors and the clock, around services made elsewhere."""

from fastapi import FastAPI

from serving.admin import router as admin
from serving.catalog_version import CatalogVersionHeader
from serving.errors import install_handlers
from serving.observe import RecordRequests
from serving.routes import (
    catalog,
    catalog_records,
    chat,
    import_answers,
    import_reads,
    imports,
    openai,
    ops,
    policies,
    questions,
    search,
    synonyms,
    warm,
)
from serving.services import Services

CATALOG_ROUTES = (
    catalog,
    catalog_records,
    imports,
    import_reads,
    import_answers,
    questions,
    search,
    synonyms,
    policies,
)


def create_app(services: Services) -> FastAPI:
    """An application that answers with `services`; whoever made them closes them."""
    app = FastAPI(title="Hotshelf", docs_url=None, redoc_url=None)
    app.state.services = services
    app.add_middleware(CatalogVersionHeader, records=services.records)
    app.add_middleware(RecordRequests, metrics=services.metrics)
    install_handlers(app)
    for routes in (chat, warm, openai, *CATALOG_ROUTES, ops):
        app.include_router(routes.router)
    admin.install(app)
    return app
