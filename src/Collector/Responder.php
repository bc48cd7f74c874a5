<?php

declare(strict_types=1);

namespace Headroom\Collector;

interface Responder
{
    /** Only the first call has an effect, and only while the client is connected. */
    public function send(Response $response): void;

    /** A handler may stop its work for a client that has closed the connection. */
    public function isClientThere(): bool;
}
