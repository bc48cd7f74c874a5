<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Collector\Responder;
use Headroom\Collector\Response;

/**
 * A request without a response yet. It keeps the place of the response in the order of its connection.
 *
 * @internal
 */
final class PendingRequest implements Responder
{
    public ?Response $response = null;

    /** @param int $startedAt monotonic nanoseconds */
    public function __construct(
        public readonly Connection $connection,
        public readonly string $method,
        public readonly bool $keepsAlive,
        public readonly int $startedAt,
    ) {}

    /** Sets the response without sending it, so that one write sends all responses of a tick. */
    public function complete(Response $response): void
    {
        $this->response ??= $response;
    }

    public function send(Response $response): void
    {
        if ($this->response === null) {
            $this->response = $response;
            $this->connection->write();
        }
    }

    public function isClientThere(): bool
    {
        return ! $this->connection->isClosed();
    }
}
