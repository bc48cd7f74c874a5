<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

/**
 * The environment variables of this process, in all three places where PHP keeps them, as they were at one moment.
 */
final readonly class WorkbenchEnvironment
{
    /**
     * @param array<array-key, mixed> $server
     * @param array<array-key, mixed> $env
     * @param array<string, string> $process
     */
    private function __construct(private array $server, private array $env, private array $process) {}

    public static function capture(): self
    {
        return new self($_SERVER, $_ENV, getenv());
    }

    /** @param array<string, string|null> $variables null takes a variable away */
    public static function set(array $variables): void
    {
        foreach ($variables as $name => $value) {
            unset($_SERVER[$name], $_ENV[$name]);
            putenv($value === null ? $name : "{$name}={$value}");

            if ($value !== null) {
                $_SERVER[$name] = $value;
                $_ENV[$name] = $value;
            }
        }
    }

    public function restore(): void
    {
        foreach (array_diff_key(getenv(), $this->process) as $name => $value) {
            putenv($name);
        }

        foreach ($this->process as $name => $value) {
            putenv("{$name}={$value}");
        }

        $_SERVER = $this->server;
        $_ENV = $this->env;
    }
}
