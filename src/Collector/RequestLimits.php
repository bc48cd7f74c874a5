<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Headroom\Http\MessageLimits;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * The limits of one request, which hold for the responses to a handler's requests too, and of all incomplete requests
 * of a worker.
 *
 * @internal
 */
final readonly class RequestLimits
{
    public const KEYS = ['request_line_bytes', 'header_bytes', 'headers', 'body_bytes', 'unfinished_bytes'];

    private const UNFINISHED_BYTES = 67_108_864;

    /** @param int<0, max> $unfinishedBytes of incomplete requests, over all connections of a worker */
    public function __construct(
        public MessageLimits $message = new MessageLimits,
        public int $unfinishedBytes = self::UNFINISHED_BYTES,
    ) {}

    /** @throws InvalidConfig */
    public static function fromOptions(ConfigReader $section): self
    {
        $section->only(self::KEYS);
        $default = new MessageLimits;
        $body = $section->int('body_bytes', 1, 1_073_741_824, $default->bodyBytes);

        return new self(
            new MessageLimits(
                $section->int('request_line_bytes', 64, 1_048_576, $default->startLineBytes),
                $section->int('header_bytes', 256, 1_048_576, $default->headerBytes),
                $section->int('headers', 1, 10_000, $default->headers),
                $body,
            ),
            // With less, a body of the largest allowed size could never arrive.
            $section->int('unfinished_bytes', $body, PHP_INT_MAX, max($body, self::UNFINISHED_BYTES)),
        );
    }

    /** @return array<string, int> by configuration key, for the start message and GET /v1/version */
    public function all(): array
    {
        return array_combine(self::KEYS, [
            $this->message->startLineBytes,
            $this->message->headerBytes,
            $this->message->headers,
            $this->message->bodyBytes,
            $this->unfinishedBytes,
        ]);
    }
}
