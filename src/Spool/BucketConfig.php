<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\InvalidConfig;
use Headroom\Core\Options;

/**
 * One entry of spool.buckets.
 */
final readonly class BucketConfig
{
    /**
     * @param int<1, max> $batch events per delivery
     * @param Options $options what the sink itself reads
     */
    private function __construct(
        public string $name,
        public string $sink,
        public int $batch,
        public Utf8 $utf8,
        public Durability $durability,
        public Options $options,
    ) {}

    /**
     * @internal
     *
     * @param string $name a valid one
     *
     * @throws InvalidConfig
     */
    public static function fromOptions(string $name, Options $options): self
    {
        return new self(
            $name,
            $options->string('sink'),
            $options->int('batch', 1, 65_535, 1000),
            Utf8::from($options->oneOf('utf8', array_column(Utf8::cases(), 'value'), Utf8::Replace->value)),
            Durability::from($options->oneOf('durability', array_column(Durability::cases(), 'value'), Durability::Process->value)),
            $options->without(['sink', 'batch', 'utf8', 'durability']),
        );
    }

    /** The same for the same sink with the same settings. */
    public function sinkFingerprint(): string
    {
        return "{$this->sink}:{$this->options->fingerprint()}";
    }
}
