<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

use Closure;
use Headroom\Doctor\Edit;
use RuntimeException;

/**
 * Applies the fix of a finding exactly as the doctor prints it.
 */
final readonly class PrintedFix
{
    /**
     * @param list<array{file: string, line: ?int, old: ?string, new: ?string}> $edits
     * @param list<string> $commands
     */
    private function __construct(private array $edits, private array $commands) {}

    /**
     * @param array{
     *     edits: list<array{file: string, line: ?int, old: ?string, new: ?string}>,
     *     commands: list<string>,
     *     ...
     * } $fix of a finding of `doctor --json`
     */
    public static function of(array $fix): self
    {
        return new self($fix['edits'], $fix['commands']);
    }

    /** @param Closure(string): void $run a command line */
    public function apply(Closure $run): void
    {
        foreach (array_map(Edit::fromArray(...), array_reverse($this->edits)) as $edit) {
            $after = $edit->appliedTo(is_file($edit->file) ? (string) file_get_contents($edit->file) : '');
            file_put_contents($edit->file, $after) === strlen($after)
                || throw new RuntimeException("{$edit->file} could not be written.");
        }

        array_map($run, $this->commands);
    }
}
