<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Handlers;

use Headroom\Collector\Handler;
use Headroom\Collector\HttpClient;
use Headroom\Collector\Request;
use Headroom\Collector\Responder;
use Headroom\Collector\Response;
use Headroom\Collector\UnableToCall;

/** Scenario 2 of stack X: asks a third party and passes its answer on. */
final readonly class PassOn implements Handler
{
    private string $upstream;

    public function __construct(private HttpClient $calls)
    {
        $this->upstream = (string) getenv('UPSTREAM');
    }

    public function handle(Request $request, Responder $to): void
    {
        $this->calls->call('GET', $this->upstream, [], '', 30.0,
            static fn (Response $answer)
                => $to->send(new Response($answer->status, $answer->body, ['Content-Type' => 'application/json'])),
            static fn (UnableToCall $e)
                => $to->send(new Response(502, $e->getMessage(), ['Content-Type' => 'text/plain'])),
        );
    }
}
