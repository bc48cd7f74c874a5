<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

use Headroom\Http\MessageLimits;
use Headroom\Http\ResponseFault;
use Headroom\Http\ResponseParser;
use Headroom\Http\ResponseReceiver;
use Headroom\Http\Strictness;
use Headroom\Http\UnableToReadResponse;

/**
 * The result of a response that comes in these pieces, and of the end of the connection after them.
 */
final class ReadResponse implements ResponseReceiver
{
    public int $status = 0;

    public string $head = '';

    public string $body = '';

    /** "kept", "closed", "ended" by the end of the connection, "incomplete", or the fault. */
    public readonly string $fate;

    /** @var array<string, string> */
    public readonly array $headers;

    public ?UnableToReadResponse $failure = null;

    /** Status, fate and body: "200 kept hello". */
    public readonly string $outcome;

    /** @param iterable<string> $pieces */
    public function __construct(
        iterable $pieces,
        string $method = 'GET',
        Strictness $strictness = Strictness::Lenient,
        ?MessageLimits $limits = null,
        bool $isClosed = true,
    ) {
        $limits ??= $strictness === Strictness::Strict ? new MessageLimits : self::lenientLimits();
        $parser = new ResponseParser($limits, $strictness);
        $parser->begin($this, $method);

        try {
            $fate = $this->read($parser, $pieces, $isClosed);
        } catch (UnableToReadResponse $e) {
            $this->failure = $e;
            $fate = self::name($e->fault);
        }

        $this->fate = $fate;
        $this->headers = $parser->headers();
        $this->outcome = "{$this->status} {$fate} {$this->body}";
    }

    /** As the load generator has them. */
    public static function lenientLimits(): MessageLimits
    {
        return new MessageLimits(102_400, 307_200, PHP_INT_MAX, PHP_INT_MAX);
    }

    public static function name(ResponseFault $fault): string
    {
        return match ($fault) {
            ResponseFault::NotHttp => 'not_http',
            ResponseFault::HeaderTooLarge => 'header_too_large',
            ResponseFault::BodyTooLarge => 'body_too_large',
            ResponseFault::Missing => 'missing',
            ResponseFault::TruncatedHeader, ResponseFault::TruncatedBody => 'truncated',
        };
    }

    public function receiveHead(int $status, string $head): void
    {
        $this->status = $status;
        $this->head = $head;
    }

    public function receiveBody(string $data, int $at, int $length): void
    {
        $this->body .= substr($data, $at, $length);
    }

    /**
     * @param iterable<string> $pieces
     *
     * @throws UnableToReadResponse
     */
    private function read(ResponseParser $parser, iterable $pieces, bool $isClosed): string
    {
        $isComplete = false;

        foreach ($pieces as $piece) {
            $isComplete = $parser->read($piece) || $isComplete;
        }

        if ($isComplete) {
            return $parser->keepsAlive() ? 'kept' : 'closed';
        }

        if (! $isClosed) {
            return 'incomplete';
        }

        $parser->end();

        return 'ended';
    }
}
