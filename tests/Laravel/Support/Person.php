<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Tests\Support\CompiledOnce;

/**
 * A user of the system, as which a process runs: setpriv(1).
 */
final readonly class Person
{
    /** @param list<string> $groups besides the user's own */
    public function __construct(
        public string $user,
        private string $group,
        private array $groups = [],
        private string $umask = '022',
    ) {}

    public static function root(): self
    {
        return new self('root', 'root');
    }

    /** @param list<string> $groups */
    public static function webServer(array $groups = []): self
    {
        return new self('www-data', 'www-data', $groups);
    }

    /** @param list<string> $groups */
    public static function other(array $groups = []): self
    {
        return new self('nobody', 'nogroup', $groups);
    }

    public function withUmask(string $umask): self
    {
        return new self($this->user, $this->group, $this->groups, $umask);
    }

    /** @return list<string> */
    public function prefix(): array
    {
        $groups = $this->groups === [] ? ['--clear-groups'] : ['--groups='.implode(',', $this->groups)];

        $compiled = array_map(
            static fn (string $name, string $value): string => "{$name}={$value}",
            array_keys($own = CompiledOnce::environment($this->user)),
            $own,
        );

        return [
            'setpriv',
            "--reuid={$this->user}",
            "--regid={$this->group}",
            ...$groups,
            '--',
            'env',
            ...$compiled,
            'sh',
            '-c',
            "umask {$this->umask}; exec \"\$@\"",
            'sh',
        ];
    }
}
