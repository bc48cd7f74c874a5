<?php

declare(strict_types=1);

namespace Headroom\Console\Standalone;

use Closure;
use Headroom\Sink\Sink;
use Headroom\Sink\SinkFactory;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Throwable;

/**
 * Makes the sinks that need no Laravel application with a container and database connections.
 *
 * @internal
 */
final readonly class StandaloneSinkFactory implements SinkFactory
{
    /**
     * @param array<string, Closure(ConfigReader): Sink> $kinds
     * @param list<string> $declared names under spool.sinks
     */
    public function __construct(private array $kinds, private array $declared = []) {}

    public function make(string $kind, ConfigReader $options): Sink
    {
        $key = $options->key('sink');

        if (isset($this->kinds[$kind])) {
            return ($this->kinds[$kind])($options);
        }

        if ($kind === 'database' || $kind === 'handler') {
            throw InvalidConfig::notAllowed(
                $key,
                $kind,
                "a sink that needs no Laravel application: one of {$this->names()}. A Laravel application has this"
                    .' command in artisan',
            );
        }

        if (! is_a($kind, Sink::class, true)) {
            throw InvalidConfig::notAllowed(
                $key,
                $kind,
                ($this->declared === [] ? '' : 'a sink of spool.sinks ('.implode(', ', $this->declared).'), ')
                    ."a driver ({$this->names()}), or the name of a class that implements ".Sink::class,
            );
        }

        try {
            return new $kind(...$options->all());
        } catch (Throwable $e) {
            throw InvalidConfig::notAllowed(
                $key,
                $kind,
                "a sink whose constructor takes the bucket's other settings by name. It says: {$e->getMessage()}",
            );
        }
    }

    private function names(): string
    {
        return implode(', ', array_keys($this->kinds));
    }
}
