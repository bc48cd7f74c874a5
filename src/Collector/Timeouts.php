<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * How long a worker waits for clients and handlers, in seconds.
 *
 * @internal
 */
final readonly class Timeouts
{
    private const KEYS = ['header', 'body_idle', 'keep_alive', 'write', 'handler', 'drain', 'drain_idle'];

    /**
     * @param int $header for the header section of a request, from its first byte or from the start of the connection
     * @param int $bodyIdle between two pieces of a body
     * @param int $keepAlive between two requests; longer than the 60 s of nginx, so that nginx closes first
     * @param int $write for a client to read a part of its response
     * @param int $handler for the response of a mounted handler
     * @param int $drain for open requests when a worker drains
     * @param int $drainIdle for a client to send its next request while the worker drains; the response then has
     *     Connection: close
     */
    public function __construct(
        public int $header = 10,
        public int $bodyIdle = 30,
        public int $keepAlive = 75,
        public int $write = 30,
        public int $handler = 60,
        public int $drain = 30,
        public int $drainIdle = 3,
    ) {}

    /** @throws InvalidConfig */
    public static function fromOptions(ConfigReader $section): self
    {
        $section->only(self::KEYS);

        return new self(
            $section->int('header', 1, 3600, 10),
            $section->int('body_idle', 1, 3600, 30),
            $section->int('keep_alive', 1, 86_400, 75),
            $section->int('write', 1, 3600, 30),
            $section->int('handler', 1, 3600, 60),
            $section->int('drain', 1, 3600, 30),
            $section->int('drain_idle', 0, 3600, 3),
        );
    }

    /** @return array<string, int> by the names of the settings */
    public function all(): array
    {
        return array_combine(self::KEYS, [
            $this->header,
            $this->bodyIdle,
            $this->keepAlive,
            $this->write,
            $this->handler,
            $this->drain,
            $this->drainIdle,
        ]);
    }
}
