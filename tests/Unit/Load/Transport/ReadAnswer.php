<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Transport;

use Headroom\Load\Request;
use Headroom\Load\Transport\AnswerReader;
use Headroom\Load\Transport\BodyReceiver;
use Headroom\Load\Transport\EncodedRequest;
use Headroom\Load\Transport\Exchange;
use Headroom\Load\Transport\UnableToExchange;

/**
 * What the reader makes of an answer that comes in these pieces, and of the end of the connection behind it.
 */
final class ReadAnswer implements BodyReceiver
{
    public readonly Exchange $exchange;

    public string $body = '';

    public ?UnableToExchange $failure = null;

    /** Status, what became of it, and body: "200 kept hello". */
    public readonly string $outcome;

    /**
     * @param iterable<string> $pieces
     * @param non-empty-string $method
     */
    public function __construct(iterable $pieces, string $method = 'GET', bool $isLast = false)
    {
        $this->exchange = new Exchange;
        $this->exchange->prepare(
            EncodedRequest::of(new Request('http://127.0.0.1/', $method, headers: $isLast ? ['Connection: close'] : [])),
            $this,
        );

        try {
            $fate = $this->read($pieces);
        } catch (UnableToExchange $e) {
            $fate = $e->failure->value;
            $this->failure = $e;
        }

        $this->outcome = "{$this->exchange->status} {$fate} {$this->body}";
    }

    public function expect(string $head): void {}

    public function receive(string $piece): void
    {
        $this->body .= $piece;
    }

    /**
     * @param iterable<string> $pieces
     * @return string "kept", "closed", or "ended" where the end of the connection was the answer's
     *
     * @throws UnableToExchange
     */
    private function read(iterable $pieces): string
    {
        $reader = new AnswerReader;
        $reader->begin($this->exchange);
        $fate = null;

        foreach ($pieces as $piece) {
            if ($fate !== null) {
                // What was not asked for is seen when the connection is to be used again.
                return 'closed';
            }

            $this->exchange->firstByte = 1;

            if ($reader->read($piece)) {
                $fate = $reader->keepsConnection() ? 'kept' : 'closed';
            }
        }

        if ($fate === null) {
            $reader->end();
        }

        return $fate ?? 'ended';
    }
}
