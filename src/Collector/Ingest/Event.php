<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

/**
 * One event, validated except for the permissions of its API key.
 *
 * @internal
 */
final readonly class Event
{
    /**
     * @param ?string $id null: the collector generates one
     * @param ?string $source null: the default
     * @param ?string $time in the ordinary form of Core\Date, in UTC; null: the time of receipt
     * @param ?string $data JSON on one line, as sent; null: none
     * @param ?string $extensions a JSON object of all other members, on one line; null: none
     * @param string $text the whole event as sent
     * @param bool $isPlain whether no field but the data needs JSON escapes, and it has no extensions
     */
    public function __construct(
        public string $type,
        public ?string $id,
        public ?string $source,
        public ?string $time,
        public ?string $subject,
        public ?string $data,
        public ?string $extensions,
        public string $text,
        public bool $isPlain = false,
    ) {}
}
