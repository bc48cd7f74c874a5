<?php

declare(strict_types=1);

namespace Headroom\Collector;

interface Responder
{
    /** The first one counts; further ones are ignored, as is one to a client that has gone. */
    public function send(Response $response): void;

    /** Nobody need work for a client that has hung up. */
    public function isClientThere(): bool;
}
