<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Collector\Responder;
use Headroom\Collector\Response;

/**
 * A request and the place of its answer in the order of its connection.
 *
 * @internal
 */
final class PendingRequest implements Responder
{
    public ?Response $answer = null;

    /** @param int $startedAt nanoseconds of the clock that never runs backwards */
    public function __construct(
        private readonly Connection $connection,
        public readonly string $method,
        public readonly bool $keepsAlive,
        public readonly int $startedAt,
    ) {}

    /** For the server itself, which writes once all answers of a tick are known. */
    public function settle(Response $response): void
    {
        $this->answer ??= $response;
    }

    public function send(Response $response): void
    {
        if ($this->answer === null) {
            $this->answer = $response;
            $this->connection->write();
        }
    }

    public function isClientThere(): bool
    {
        return ! $this->connection->isGone();
    }

    public function connection(): Connection
    {
        return $this->connection;
    }
}
