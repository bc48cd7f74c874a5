<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

use Headroom\Doctor\Nginx\Config\Directive;

/**
 * @internal
 */
final readonly class ErrorLogFile
{
    /** From the one that takes least. */
    private const LEVELS = ['emerg', 'alert', 'crit', 'error', 'warn', 'notice', 'info', 'debug'];

    private function __construct(public Directive $directive, public string $path, public string $level) {}

    public static function fromDirective(Directive $directive): self
    {
        $level = $directive->argument(1) ?? 'error';

        // debug_http and its like are parts of debug.
        return new self(
            $directive,
            $directive->argument(0) ?? '',
            in_array($level, self::LEVELS, true) ? $level : 'debug',
        );
    }

    public function takes(string $level): bool
    {
        return array_search($level, self::LEVELS, true) <= array_search($this->level, self::LEVELS, true);
    }

    public function isLocalFile(): bool
    {
        return str_starts_with($this->path, '/') && $this->path !== '/dev/null';
    }
}
