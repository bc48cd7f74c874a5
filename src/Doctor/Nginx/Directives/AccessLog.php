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
     * @param ?Directive $said null for the log that nginx writes without an access_log
     * @param string $format its name
     * @param ?int $bufferBytes null where each line is written as it comes
     */
    private function __construct(
        public ?Directive $said,
        public string $path,
        public string $format,
        public ?int $bufferBytes,
    ) {}

    /** @param Directive $said not "access_log off" */
    public static function fromDirective(Directive $said): self
    {
        $buffer = $said->parameter('buffer');
        $format = $said->argument(1);
        // gzip alone buffers, 64k of it.
        $compressed = $said->has('gzip') || $said->parameter('gzip') !== null;

        return new self(
            $said,
            $said->argument(0) ?? '',
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
            $this->said === null ? "{$this->path} {$this->format}" : implode(' ', $this->said->arguments),
            $this->said?->where() ?? 'default of nginx',
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
