<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * @internal
 */
final readonly class Directive
{
    /**
     * @param list<string> $arguments as nginx sees them, without quotes and escapes;
     *     a block of Lua has its code as the last one
     * @param int $line where the name stands
     * @param ?Block $block null where a semicolon ends it
     * @param ?self $parent the block it stands in, across files; null for the outermost
     * @param ?SourceSpan $span from its name to its semicolon or opening brace; null where it is not whole
     */
    public function __construct(
        public string $name,
        public array $arguments,
        public string $file,
        public int $line,
        public ?Block $block = null,
        public ?self $parent = null,
        public ?SourceSpan $span = null,
    ) {}

    public function argument(int $at): ?string
    {
        return $this->arguments[$at] ?? null;
    }

    public function has(string $argument): bool
    {
        return in_array($argument, $this->arguments, true);
    }

    /** The value of the first argument that begins with "name=". */
    public function parameter(string $name): ?string
    {
        foreach ($this->arguments as $argument) {
            if (str_starts_with($argument, "{$name}=")) {
                return substr($argument, strlen($name) + 1);
            }
        }

        return null;
    }

    public function where(): string
    {
        return "{$this->file}:{$this->line}";
    }

    public function text(): string
    {
        return implode(' ', [$this->name, ...$this->arguments]);
    }

    /** @return list<self> the blocks it stands in, the outermost first, and itself */
    public function path(): array
    {
        $path = [];

        for ($at = $this; $at !== null; $at = $at->parent) {
            $path[] = $at;
        }

        return array_reverse($path);
    }
}
