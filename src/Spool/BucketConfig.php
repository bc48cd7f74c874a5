<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Support\ConfigReader;
use Headroom\Support\ConfigSchema;
use Headroom\Support\InvalidConfig;

/**
 * One entry of spool.buckets.
 *
 * @phpstan-import-type Key from ConfigSchema
 */
final readonly class BucketConfig
{
    /** Stands for the sink of a bucket that has none: it is delivered by callbacks that the application hands in. */
    public const CALLBACK = 'callback';

    /** @var array<string, Key> the buffer's own settings; all others are the sink's */
    private const KEYS = [
        'sink' => ['type' => 'text'],
        'batch' => ['type' => 'int', 'min' => 1, 'max' => 65_535, 'default' => 1000, 'unit' => 'events'],
        'utf8' => ['type' => 'choice', 'of' => Utf8::class, 'default' => 'replace'],
        'overflow' => ['type' => 'choice', 'of' => OverflowPolicy::class, 'default' => 'direct'],
        'max_bytes' => ['type' => 'int', 'min' => 65_536, 'max' => 1_125_899_906_842_624, 'default' => 1_125_899_906_842_624, 'unit' => 'bytes'],
        'durability' => ['type' => 'choice', 'of' => Durability::class, 'default' => 'process'],
        'rate_limit' => ['type' => 'section'],
        'tries' => ['type' => 'int', 'min' => 1, 'max' => 65_535, 'unit' => 'failures'],
        'sample' => ['type' => 'mixed', 'default' => 1],
        'redact' => ['type' => 'mixed'],
        'schedule' => ['type' => 'mixed', 'default' => true],
        'store' => ['type' => 'choice', 'of' => ['file', 'redis'], 'default' => 'file'],
    ];

    private const RENAMED = [
        'on_failure' => 'overflow',
        'quota' => 'max_bytes',
        'rate' => "rate_limit, an array such as ['max' => 100, 'every' => 60]",
    ];

    /** Of `http`, `elasticsearch` and `clickhouse`, and of `file`. */
    private const NOT_WHERE = ['auth', 'headers', 'sign', 'timeout', 'rotate', 'gzip', 'keep'];

    /**
     * @param string $sink CALLBACK when none is named
     * @param int<1, max> $batch events per delivery
     * @param ConfigReader $options the sink's own settings
     * @param ?int $maxBytes bytes of files with events that are not delivered yet; null is without a limit
     * @param ?RateLimit $rateLimit events that its sink is handed at most
     * @param ?int<1, max> $tries after which an event that its sink cannot handle becomes a dead letter; null is without a limit
     * @param Cron|bool $schedule true: with all others each minute, false: not on the schedule
     */
    private function __construct(
        public string $name,
        public string $sink,
        public int $batch,
        public Utf8 $utf8,
        public Durability $durability,
        public ConfigReader $options,
        public OverflowPolicy $overflow,
        public ?int $maxBytes,
        public ?RateLimit $rateLimit,
        public ?int $tries,
        public Cron|bool $schedule,
    ) {}

    /** @internal */
    public static function schema(): ConfigSchema
    {
        return new ConfigSchema(self::KEYS, self::RENAMED);
    }

    /**
     * @internal
     *
     * @param string $name a valid one
     *
     * @throws InvalidConfig
     */
    public static function fromOptions(string $name, ConfigReader $options): self
    {
        $schema = self::schema();
        $schema->refuseRenamed($options);
        $schema->choice($options, 'store');
        $sink = self::sink($options);
        $own = $options->without(array_keys(self::KEYS));

        return new self(
            $name,
            $sink,
            max(1, $schema->int($options, 'batch')),
            Utf8::from($schema->choice($options, 'utf8')),
            Durability::from($schema->choice($options, 'durability')),
            // A sink's setting without a sink is a sink that was forgotten, and nothing would be delivered.
            $sink === self::CALLBACK ? $own->only([]) : $own,
            OverflowPolicy::from($schema->choice($options, 'overflow')),
            self::maxBytes($options),
            $options->has('rate_limit') ? RateLimit::fromOptions($options->section('rate_limit', RateLimit::SHAPE)) : null,
            $schema->optionalInt($options, 'tries'),
            self::schedule($options),
        );
    }

    /** @throws InvalidConfig */
    private static function sink(ConfigReader $options): string
    {
        $sink = $options->optionalString('sink') ?? self::CALLBACK;

        return $sink === 'call' ? throw InvalidConfig::renamed($options->key('sink'), $sink, "'handler'") : $sink;
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
    public static function maxBytes(ConfigReader $options): ?int
    {
        $schema = self::schema();
        $schema->refuseRenamed($options);
        $bytes = $schema->int($options, 'max_bytes');

        return $bytes === self::KEYS['max_bytes']['default'] ? null : $bytes;
    }

    /** @throws InvalidConfig */
    private static function schedule(ConfigReader $options): Cron|bool
    {
        $seen = $options->any('schedule', true);

        return match ($seen) {
            true, 1, '1' => true,
            false, 0, '0' => false,
            default => (is_string($seen) ? Cron::tryFrom($seen) : null)
                ?? throw InvalidConfig::notAllowed($options->key('schedule'), $seen, "true, false, a cron expression of five fields such as '*/5 * * * *', or one of ".implode(', ', array_keys(Cron::NAMES))),
        };
    }

    /**
     * The same for the same sink with the same settings, but for those that say how and not where: a key, or the size
     * of a file, may change while a range waits for its next try.
     */
    public function sinkFingerprint(): string
    {
        return "{$this->sink}:{$this->options->without(self::NOT_WHERE)->fingerprint()}";
    }
}
