<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Headroom\Spool\Bucket;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * The key `collector` of config/headroom.php, or of headroom.php, read once and checked.
 */
final readonly class CollectorConfig
{
    private const KEYS = [
        'listen', 'admin', 'workers', 'flushers', 'bucket', 'limits', 'timeouts', 'recycle', 'descriptors',
        'high_water', 'intake', 'handlers',
    ];

    private const MAX_WORKERS = 256;

    /**
     * @param ?int<1, max> $workers null: one per core
     * @param int<0, max> $flushers
     * @param ?int<1, max> $descriptors of one worker; null: the limit of its event loop
     * @param ?int<1, max> $highWater bytes in the bucket above which /readyz responds with 503
     * @param array<string, class-string<Handler>> $handlers by path prefix, the longest first
     */
    private function __construct(
        private ConfigReader $options,
        private ListenAddress $listen,
        private ?ListenAddress $admin,
        public ?int $workers,
        public int $flushers,
        public string $bucket,
        public ?int $descriptors,
        public ?int $highWater,
        public array $handlers,
    ) {}

    /**
     * @param array<array-key, mixed> $config
     *
     * @throws InvalidConfig
     */
    public static function fromArray(array $config): self
    {
        $options = (new ConfigReader($config, 'collector'))->filled()->only(self::KEYS);
        $workers = $options->any('workers', 'auto');
        $admin = $options->any('admin', '127.0.0.1:9180');
        $bucket = $options->string('bucket', 'events');

        if (! Bucket::isName($bucket)) {
            throw InvalidConfig::notAllowed(
                'collector.bucket',
                $bucket,
                "a bucket's name: 1 to 64 of a-z, 0-9, '.', '_', '-', the first a letter or a digit",
            );
        }

        $read = new self(
            $options,
            ListenAddress::of($options->string('listen', '127.0.0.1:8080'), 'collector.listen'),
            in_array($admin, [false, 0, '0'], true)
                ? null
                : ListenAddress::of($options->string('admin', '127.0.0.1:9180'), 'collector.admin'),
            $workers === 'auto' ? null : max(1, $options->int('workers', 1, self::MAX_WORKERS, null)),
            $options->int('flushers', 0, self::MAX_WORKERS, 1),
            $bucket,
            $options->has('descriptors') ? max(1, $options->int('descriptors', 1, 1_000_000, null)) : null,
            $options->has('high_water') ? max(1, $options->int('high_water', 65_536, PHP_INT_MAX, null)) : null,
            self::handlers($options->section('handlers', 'an array of class names by path prefix')),
        );
        $read->limits();
        $read->timeouts();
        $read->recyclePolicy(0, 0.0);
        $read->intake();

        return $read;
    }

    /**
     * Returns a copy with the options of the command line.
     *
     * @internal
     *
     * @param array<array-key, mixed> $options
     *
     * @throws InvalidConfig
     */
    public function with(array $options): self
    {
        return self::fromArray($options + $this->options->all());
    }

    /** @internal */
    public function listen(): ListenAddress
    {
        return $this->listen;
    }

    /** @internal */
    public function admin(): ?ListenAddress
    {
        return $this->admin;
    }

    /** @internal */
    public function limits(): RequestLimits
    {
        return RequestLimits::fromOptions($this->options->section('limits'));
    }

    /** @internal */
    public function timeouts(): Timeouts
    {
        return Timeouts::fromOptions($this->options->section('timeouts'));
    }

    /**
     * @internal
     *
     * @param int $now monotonic nanoseconds
     * @param float $jitter 0 to 1
     */
    public function recyclePolicy(int $now, float $jitter): RecyclePolicy
    {
        return RecyclePolicy::fromOptions($this->options->section('recycle'), $now, $jitter);
    }

    /**
     * The section of the ingest pipeline, with the bucket of the collector.
     *
     * @internal
     */
    public function intake(): ConfigReader
    {
        return new ConfigReader(
            $this->options->section('intake')->all() + ['bucket' => $this->bucket],
            'collector.intake',
        );
    }

    /**
     * @return array<string, class-string<Handler>>
     *
     * @throws InvalidConfig
     */
    private static function handlers(ConfigReader $section): array
    {
        $handlers = [];

        foreach ($section->all() as $prefix => $class) {
            // PHP converts a key such as '80' to an integer.
            $prefix = "{$prefix}";

            if (preg_match('~\A/[!-\~]*[^/]\z~', $prefix) !== 1) {
                throw InvalidConfig::notAllowed(
                    'collector.handlers',
                    $prefix,
                    "a path prefix such as '/hooks', with a slash at its start and none at its end",
                );
            }

            $handlers[$prefix] = is_string($class) && is_a($class, Handler::class, true)
                ? $class
                : throw InvalidConfig::notAllowed(
                    "collector.handlers.{$prefix}",
                    $class,
                    'the name of a class that implements '.Handler::class,
                );
        }

        uksort($handlers, static fn (string $a, string $b): int => strlen($b) <=> strlen($a));

        return $handlers;
    }
}
