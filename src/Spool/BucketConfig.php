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
    /** A pebibyte. */
    private const NO_QUOTA = 1_125_899_906_842_624;

    /**
     * @param int<1, max> $batch events per delivery
     * @param Options $options what the sink itself reads
     * @param ?int $quota bytes of files with events that are not delivered yet; null is without a limit
     */
    private function __construct(
        public string $name,
        public string $sink,
        public int $batch,
        public Utf8 $utf8,
        public Durability $durability,
        public Options $options,
        public OnFailure $onFailure = OnFailure::Direct,
        public ?int $quota = null,
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
        $options->oneOf('store', ['file', 'redis'], 'file');

        return new self(
            $name,
            $options->string('sink'),
            $options->int('batch', 1, 65_535, 1000),
            Utf8::from($options->oneOf('utf8', array_column(Utf8::cases(), 'value'), Utf8::Replace->value)),
            Durability::from($options->oneOf('durability', array_column(Durability::cases(), 'value'), Durability::Process->value)),
            $options->without(['sink', 'batch', 'utf8', 'on_failure', 'quota', 'durability', 'store']),
            OnFailure::from($options->oneOf('on_failure', array_column(OnFailure::cases(), 'value'), OnFailure::Direct->value)),
            self::quota($options),
        );
    }

    /**
     * Apart, for a request that needs only this.
     *
     * @internal
     *
     * @throws InvalidConfig
     */
    public static function quota(Options $options): ?int
    {
        $quota = $options->int('quota', 65_536, self::NO_QUOTA, self::NO_QUOTA);

        return $quota === self::NO_QUOTA ? null : $quota;
    }

    /** The same for the same sink with the same settings. */
    public function sinkFingerprint(): string
    {
        return "{$this->sink}:{$this->options->fingerprint()}";
    }
}
