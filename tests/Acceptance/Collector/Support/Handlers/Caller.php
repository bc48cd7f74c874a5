<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support\Handlers;

use Headroom\Collector\Handler;
use Headroom\Collector\HttpClient;
use Headroom\Collector\Request;
use Headroom\Collector\Responder;
use Headroom\Collector\Response;
use Headroom\Collector\UnableToCall;

/**
 * Passes on what another server answers, within two seconds or as many as the path says.
 */
final class Caller implements Handler
{
    public function __construct(private readonly HttpClient $calls) {}

    public function handle(Request $request, Responder $to): void
    {
        $seconds = (float) basename($request->path);
        $this->calls->call(
            $request->method,
            "http://{$request->query}",
            [],
            $request->body,
            $seconds === 0.0 ? 2.0 : $seconds,
            static fn (Response $answer) => $to->send(new Response($answer->status, $answer->body)),
            static fn (UnableToCall $e) => $to->send(new Response($e->status, $e->getMessage())),
        );
    }
}
