<?php

declare(strict_types=1);

namespace Headroom\Http;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * How much of one request, or of an answer to one of ours, is taken before it is refused. Bodies are measured as they
 * come, with a content coding still on them.
 *
 * @internal
 */
final readonly class MessageLimits
{
    public const KEYS = ['request_line_bytes', 'header_bytes', 'headers', 'body_bytes', 'unfinished_bytes'];

    private const UNFINISHED_BYTES = 67_108_864;

    /**
     * @param int<1, max> $requestLineBytes method, target and version, without the line's end
     * @param int<1, max> $headerBytes all header fields with the empty line after them; trailers as many again,
     *     chunk extensions as well
     * @param int<1, max> $headers fields
     * @param int<0, max> $bodyBytes without transfer coding
     * @param int<0, max> $unfinishedBytes of requests that have not come whole, of all connections of a process
     */
    public function __construct(
        public int $requestLineBytes = 8_192,
        public int $headerBytes = 16_384,
        public int $headers = 100,
        public int $bodyBytes = 5_242_880,
        public int $unfinishedBytes = self::UNFINISHED_BYTES,
    ) {}

    /** @throws InvalidConfig */
    public static function fromOptions(ConfigReader $section): self
    {
        $section->only(self::KEYS);
        $default = new self;
        $body = $section->int('body_bytes', 1, 1_073_741_824, $default->bodyBytes);

        return new self(
            $section->int('request_line_bytes', 64, 1_048_576, $default->requestLineBytes),
            $section->int('header_bytes', 256, 1_048_576, $default->headerBytes),
            $section->int('headers', 1, 10_000, $default->headers),
            $body,
            // Less, and a body that is allowed could never come.
            $section->int('unfinished_bytes', $body, PHP_INT_MAX, max($body, $default->unfinishedBytes)),
        );
    }

    /** @return array<string, int> by the names of the settings, for the start message and GET /v1/version */
    public function all(): array
    {
        return array_combine(
            self::KEYS,
            [$this->requestLineBytes, $this->headerBytes, $this->headers, $this->bodyBytes, $this->unfinishedBytes],
        );
    }
}
