<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Variables\VariableNames;

/**
 * @internal
 */
final readonly class AccessLog
{
    /**
     * @param ?Directive $directive null for the log that nginx writes without an access_log
     * @param string $format its name
     * @param ?int $bufferBytes null where each line is written as it comes
     */
    private function __construct(
        public ?Directive $directive,
        public string $path,
        public string $format,
        public ?int $bufferBytes,
    ) {}

    /** @param Directive $directive not "access_log off" */
    public static function fromDirective(Directive $directive): self
    {
        $buffer = $directive->parameter('buffer');
        $format = $directive->argument(1);
        // gzip alone buffers, 64k of it.
        $compressed = $directive->has('gzip') || $directive->parameter('gzip') !== null;

        return new self(
            $directive,
            $directive->argument(0) ?? '',
            // Parameters may come without a format.
            $format === null || $format === 'gzip' || preg_match('/\A(buffer|flush|gzip|if)=/', $format) === 1
                ? 'combined'
                : $format,
            $buffer === null ? ($compressed ? 64 << 10 : null) : Units::bytes($buffer),
        );
    }

    public static function byDefault(): self
    {
        return new self(null, 'logs/access.log', 'combined', null);
    }

    public function evidence(): Evidence
    {
        return new Evidence(
            'access_log',
            $this->directive === null ? "{$this->path} {$this->format}" : implode(' ', $this->directive->arguments),
            $this->directive?->where() ?? 'default of nginx',
        );
    }

    /** nginx opens and closes such a file for each line, unless open_log_file_cache is set. */
    public function hasVariablesInPath(): bool
    {
        return VariableNames::in($this->path) !== [];
    }

    public function isLocalFile(): bool
    {
        return ! str_starts_with($this->path, 'syslog:') && ! str_starts_with($this->path, 'memory:');
    }
}
