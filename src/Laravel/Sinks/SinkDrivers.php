<?php

declare(strict_types=1);

namespace Headroom\Laravel\Sinks;

use Closure;
use Headroom\Sink\Sink;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Illuminate\Contracts\Container\Container;
use Throwable;

/**
 * The drivers that an application has added with Buffer::extend().
 *
 * @internal
 */
final class SinkDrivers
{
    private const PATH = 'spool.buckets.';

    /** @var array<string, Closure> by driver */
    private array $factories = [];

    /** Bound at its first use, so that a request that adds no driver does not load it. */
    public static function of(Container $app): self
    {
        if (! $app->bound(self::class)) {
            $app->instance(self::class, new self);
        }

        return $app->make(self::class);
    }

    public function extend(string $driver, Closure $factory): void
    {
        $this->factories[$driver] = $factory;
    }

    /** @return list<string> */
    public function names(): array
    {
        return array_map(strval(...), array_keys($this->factories));
    }

    /**
     * @return ?Sink null if no driver of that name was added
     *
     * @throws InvalidConfig
     */
    public function make(string $driver, ConfigReader $options, Container $app): ?Sink
    {
        if (! isset($this->factories[$driver])) {
            return null;
        }

        try {
            $made = ($this->factories[$driver])($options->all(), substr($options->path, strlen(self::PATH)), $app);
        } catch (InvalidConfig $e) {
            throw $e;
        } catch (Throwable $e) {
            throw InvalidConfig::notAllowed(
                $options->key('sink'),
                $driver,
                "a driver that makes a sink of these settings. The driver says: {$e->getMessage()}",
            );
        }

        return $made instanceof Sink
            ? $made
            : throw InvalidConfig::notAllowed(
                $options->key('sink'),
                $driver,
                'a driver that returns a '.Sink::class.', and it returned '.get_debug_type($made),
            );
    }
}
