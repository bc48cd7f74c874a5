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
    /** The sink name of a bucket without a sink. Callbacks of the application deliver its events. */
    public const CALLBACK = 'callback';

    /**
     * The buffer's own settings, each with the arguments of the ConfigReader method that reads it. All other keys are
     * options of the sink.
     *
     * @internal
     */
    public const KEYS = [
        'sink' => [],
        'batch' => ['min' => 1, 'max' => 65_535, 'default' => 1000],
        'utf8' => ['allowed' => ['replace', 'refuse', 'binary'], 'default' => 'replace'],
        'overflow' => ['allowed' => ['direct', 'throw', 'drop'], 'default' => 'direct'],
        'max_bytes' => ['min' => 65_536, 'max' => 1_125_899_906_842_624, 'default' => null],
        'durability' => ['allowed' => ['process', 'interval', 'power'], 'default' => 'process'],
        'rate_limit' => [],
        'tries' => ['min' => 1, 'max' => 65_535, 'default' => null],
        'sample' => [],
        'redact' => [],
        'schedule' => ['default' => true],
        'store' => ['allowed' => ['file', 'redis'], 'default' => 'file'],
    ];

    private const RENAMED = [
        'on_failure' => 'overflow',
        'quota' => 'max_bytes',
        'rate' => "rate_limit, an array such as ['max' => 100, 'every' => 60]",
    ];

    /** Options that do not change where events go: of `http`, `elasticsearch` and `clickhouse`, then of `file`. */
    private const NOT_IN_FINGERPRINT = ['auth', 'headers', 'sign', 'timeout', 'rotate', 'gzip', 'keep'];

    /**
     * @param string $sink driver or class of the sink; CALLBACK when none is named
     * @param int<1, max> $batch events per delivery
     * @param ConfigReader $options the sink's own settings
     * @param ?int $maxBytes limit for the bytes of files with undelivered events; null when there is no limit
     * @param ?RateLimit $rateLimit limit for the events that its sink receives
     * @param ?int<1, max> $tries failed attempts after which an event becomes a dead letter; null when there is no
     *     limit
     * @param Cron|bool $schedule true: flushed every minute; false: not on the schedule
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

    /**
     * @internal
     *
     * @param string $name a valid name
     * @param ?ConfigReader $sinks spool.sinks
     *
     * @throws InvalidConfig
     */
    public static function fromOptions(string $name, ConfigReader $options, ?ConfigReader $sinks = null): self
    {
        $set = $options->all();

        foreach (self::RENAMED as $old => $new) {
            if (isset($set[$old])) {
                throw InvalidConfig::renamed("{$options->path}.{$old}", $set[$old], $new);
            }
        }

        $options->oneOf('store', ...self::KEYS['store']);
        $sink = $options->optionalString('sink') ?? self::CALLBACK;
        $own = $options->without(array_keys(self::KEYS));

        if ($sinks !== null && $sinks->has($sink)) {
            $declared = $sinks->section($sink);
            $sink = $declared->string('driver');
            $own = $own->withDefaults($declared->without(['driver']), ['sink' => $declared->key('driver')]);
        } elseif ($sink === 'call') {
            throw InvalidConfig::renamed("{$options->path}.sink", $sink, "'handler'");
        }

        return new self(
            $name,
            $sink,
            $options->int('batch', ...self::KEYS['batch']),
            Utf8::from($options->oneOf('utf8', ...self::KEYS['utf8'])),
            Durability::from($options->oneOf('durability', ...self::KEYS['durability'])),
            // A sink option without a sink means that 'sink' was forgotten. Refused, because nothing would be
            // delivered.
            $sink === self::CALLBACK ? $own->only([]) : $own,
            OverflowPolicy::from($options->oneOf('overflow', ...self::KEYS['overflow'])),
            isset($set['max_bytes']) ? $options->int('max_bytes', ...self::KEYS['max_bytes']) : null,
            isset($set['rate_limit']) ? RateLimit::fromOptions($options) : null,
            isset($set['tries']) ? $options->int('tries', ...self::KEYS['tries']) : null,
            self::schedule($options),
        );
    }

    /**
     * The defaults, for a bucket that is not declared.
     *
     * @internal
     *
     * @param string $name a valid name
     */
    public static function undeclared(string $name): self
    {
        return self::fromOptions($name, new ConfigReader([], "spool.buckets.{$name}"));
    }

    /** Only callbacks of the application deliver such a bucket: FileSystemBuffer::flush(). */
    public function hasNoSink(): bool
    {
        return $this->sink === self::CALLBACK;
    }

    /** @throws InvalidConfig */
    private static function schedule(ConfigReader $options): Cron|bool
    {
        $seen = $options->any('schedule', ...self::KEYS['schedule']);

        return match ($seen) {
            true, 1, '1' => true,
            false, 0, '0' => false,
            default => (is_string($seen) ? self::cron($options->key('schedule'), $seen) : null)
                ?? throw InvalidConfig::notAllowed(
                    $options->key('schedule'),
                    $seen,
                    "true, false, a cron expression of five fields such as '*/5 * * * *', or one of "
                        .implode(', ', array_keys(Cron::NAMES)),
                ),
        };
    }

    /** @throws InvalidConfig */
    private static function cron(string $key, string $seen): ?Cron
    {
        return Cron::isAvailable() ? Cron::tryFrom($seen) : throw InvalidConfig::notAllowed(
            $key,
            $seen,
            'true or false, as no package reads cron expressions here; run `composer require '.Cron::PACKAGE.'`',
        );
    }

    /**
     * Identifies where events go. Options that only change how they are sent, such as an API key or the size of a file,
     * are left out, so you can change them while a range waits for its next attempt.
     */
    public function sinkFingerprint(): string
    {
        return "{$this->sink}:{$this->options->without(self::NOT_IN_FINGERPRINT)->fingerprint()}";
    }
}
