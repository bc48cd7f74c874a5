<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * One entry of spool.buckets.
 */
final readonly class BucketConfig
{
    /** What stands for the sink of a bucket that has none: it is delivered by callbacks that the application hands in. */
    public const CALLBACK = 'callback';

    /** A pebibyte. */
    private const NO_QUOTA = 1_125_899_906_842_624;

    /** Of `http`, `elasticsearch` and `clickhouse`, and of `file`. */
    private const NOT_WHERE = ['auth', 'headers', 'sign', 'timeout', 'rotate', 'gzip', 'keep'];

    /**
     * @param string $sink CALLBACK when none is named
     * @param int<1, max> $batch events per delivery
     * @param ConfigReader $options what the sink itself reads
     * @param ?int $quota bytes of files with events that are not delivered yet; null is without a limit
     * @param ?RateLimit $rate events that its sink is handed at most
     * @param ?int<1, max> $tries after which an event that its sink can not handle becomes a dead letter; null is for ever
     * @param Cron|bool $schedule true: with all others each minute, false: not on the schedule
     */
    private function __construct(
        public string $name,
        public string $sink,
        public int $batch,
        public Utf8 $utf8,
        public Durability $durability,
        public ConfigReader $options,
        public OverflowPolicy $onFailure = OverflowPolicy::Direct,
        public ?int $quota = null,
        public ?RateLimit $rate = null,
        public ?int $tries = null,
        public Cron|bool $schedule = true,
    ) {}

    /**
     * @internal
     *
     * @param string $name a valid one
     *
     * @throws InvalidConfig
     */
    public static function fromOptions(string $name, ConfigReader $options): self
    {
        $options->oneOf('store', ['file', 'redis'], 'file');
        $sink = $options->optionalString('sink') ?? self::CALLBACK;
        $own = $options->without(['sink', 'batch', 'utf8', 'on_failure', 'quota', 'durability', 'rate', 'tries', 'sample', 'redact', 'schedule', 'store']);

        return new self(
            $name,
            $sink,
            $options->int('batch', 1, 65_535, 1000),
            Utf8::from($options->oneOf('utf8', array_column(Utf8::cases(), 'value'), Utf8::Replace->value)),
            Durability::from($options->oneOf('durability', array_column(Durability::cases(), 'value'), Durability::Process->value)),
            // A sink's setting without a sink is a sink that was forgotten, and nothing would be delivered.
            $sink === self::CALLBACK ? $own->only([]) : $own,
            OverflowPolicy::from($options->oneOf('on_failure', array_column(OverflowPolicy::cases(), 'value'), OverflowPolicy::Direct->value)),
            self::quota($options),
            $options->has('rate') ? RateLimit::fromOptions($options) : null,
            $options->has('tries') ? $options->int('tries', 1, 65_535, null) : null,
            self::schedule($options),
        );
    }

    /**
     * Of a bucket that nobody declared.
     *
     * @internal
     *
     * @param string $name a valid one
     */
    public static function undeclared(string $name): self
    {
        return self::fromOptions($name, new ConfigReader([], "spool.buckets.{$name}"));
    }

    /** Nothing delivers it but calls of the application's own: FileSystemBuffer::flush(). */
    public function hasNoSink(): bool
    {
        return $this->sink === self::CALLBACK;
    }

    /**
     * Apart, for a request that needs only this.
     *
     * @internal
     *
     * @throws InvalidConfig
     */
    public static function quota(ConfigReader $options): ?int
    {
        $quota = $options->int('quota', 65_536, self::NO_QUOTA, self::NO_QUOTA);

        return $quota === self::NO_QUOTA ? null : $quota;
    }

    /** @throws InvalidConfig */
    private static function schedule(ConfigReader $options): Cron|bool
    {
        $seen = $options->any('schedule', true);

        return match ($seen) {
            true, 1, '1' => true,
            false, 0, '0' => false,
            default => (is_string($seen) ? Cron::tryFrom($seen) : null)
                ?? throw InvalidConfig::notAllowed("{$options->path}.schedule", $seen, "true, false, a cron expression of five fields such as '*/5 * * * *', or one of ".implode(', ', array_keys(Cron::NAMES))),
        };
    }

    /** The same for the same sink with the same settings, but for those that say how and not where: a key, or the size of a file, may change while a range waits for its next try. */
    public function sinkFingerprint(): string
    {
        return "{$this->sink}:{$this->options->without(self::NOT_WHERE)->fingerprint()}";
    }
}
