<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

/**
 * One event as its sender described it, checked but for what its key may send.
 *
 * @internal
 */
final readonly class Event
{
    /**
     * @param ?string $id null: it gets one
     * @param ?string $source null: the default
     * @param ?string $time as Core\Date has its ordinary form, in UTC; null: when it was received
     * @param ?string $data JSON text on one line, as it was sent; null: it has none
     * @param ?string $extensions a JSON object of whatever else it has, on one line; null: nothing
     * @param string $text all of it as it was sent
     * @param bool $isPlain its texts hold nothing that JSON would escape, but for the data; and it has no extensions
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
