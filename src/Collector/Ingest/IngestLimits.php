<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * Size limits of requests and events. GET /v1/version lists them.
 *
 * @internal
 */
final readonly class IngestLimits
{
    public const KEYS = ['max_event_bytes', 'max_batch_bytes', 'max_batch_events', 'max_depth', 'max_errors'];

    public const ID_BYTES = 256;

    public const TYPE_BYTES = 256;

    public const SOURCE_BYTES = 1_024;

    public const SUBJECT_BYTES = 1_024;

    /** Of an event, without its data. */
    public const MEMBERS = 256;

    public const IDEMPOTENCY_KEY_BYTES = 255;

    /** Protocol Buffers fields of one request. 5,000 records with twenty attributes each have 400,000. */
    public const FIELDS = 500_000;

    /** Limit of Bucket for one append. */
    public const STORED_BYTES = 8_388_607;

    /**
     * @param int<1, max> $eventBytes of its text
     * @param int<1, max> $batchBytes of a body, before and after decompression
     * @param int<1, max> $batchEvents in one request
     * @param int<1, max> $depth levels of nesting
     * @param int<1, max> $errors that a response lists; it always has the total
     */
    public function __construct(
        public int $eventBytes = 262_144,
        public int $batchBytes = 5_242_880,
        public int $batchEvents = 5_000,
        public int $depth = 64,
        public int $errors = 100,
    ) {}

    /** @throws InvalidConfig */
    public static function fromOptions(ConfigReader $section): self
    {
        return new self(
            // A line of the buffer has at most 1 MiB, and escaping can double the size of an event.
            $section->int('max_event_bytes', 1_024, 491_520, 262_144),
            $section->int('max_batch_bytes', 1_024, 67_108_864, 5_242_880),
            $section->int('max_batch_events', 1, 65_535, 5_000),
            $section->int('max_depth', 2, 512, 64),
            $section->int('max_errors', 1, 10_000, 100),
        );
    }

    /** @return array<string, int> */
    public function toArray(): array
    {
        return [
            'max_event_bytes' => $this->eventBytes,
            'max_batch_bytes' => $this->batchBytes,
            'max_batch_events' => $this->batchEvents,
            'max_stored_bytes' => self::STORED_BYTES,
            'max_depth' => $this->depth,
            'max_errors' => $this->errors,
            'max_members' => self::MEMBERS,
            'max_protobuf_fields' => self::FIELDS,
            'max_id_bytes' => self::ID_BYTES,
            'max_type_bytes' => self::TYPE_BYTES,
            'max_source_bytes' => self::SOURCE_BYTES,
            'max_subject_bytes' => self::SUBJECT_BYTES,
            'max_idempotency_key_bytes' => self::IDEMPOTENCY_KEY_BYTES,
        ];
    }
}
