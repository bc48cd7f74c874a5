<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * What mends a finding, to be done as it stands here. The doctor does none of it.
 */
final readonly class Fix
{
    /** @var string what is done, in one sentence, and one for each change that is no edit */
    public string $text;

    /** @var list<Edit> to be applied from the last to the first, so that the lines of the others keep their numbers */
    public array $edits;

    /**
     * @param string $text one sentence
     * @param list<Edit|ManualChange> $changes in any order
     * @param list<string> $commands that make them take effect
     * @param string $rollback one sentence
     * @param string $verify the command that shows that it worked
     */
    public function __construct(
        string $text,
        array $changes = [],
        public array $commands = [],
        public string $rollback = '',
        public string $verify = 'headroom doctor',
    ) {
        $byHand = array_filter(
            $changes,
            static fn (Edit|ManualChange $change): bool => $change instanceof ManualChange,
        );
        $edits = array_values(array_filter(
            $changes,
            static fn (Edit|ManualChange $change): bool => $change instanceof Edit,
        ));
        $this->text = implode(
            ' ',
            [$text, ...array_map(static fn (ManualChange $change): string => $change->text, $byHand)],
        );
        usort(
            $edits,
            static fn (Edit $a, Edit $b): int => [$a->file, $a->line ?? PHP_INT_MAX, $a->old !== null]
                <=> [$b->file, $b->line ?? PHP_INT_MAX, $b->old !== null],
        );
        $this->edits = $edits;
    }

    /** One more command, after the others. */
    public function with(string $command): self
    {
        return new self($this->text, $this->edits, [...$this->commands, $command], $this->rollback, $this->verify);
    }

    /** @return list<string> */
    public function lines(): array
    {
        return array_merge(
            [$this->text],
            ...array_map(
                static fn (Edit $edit): array
                    => array_map(static fn (string $line): string => "  {$line}", $edit->lines()),
                $this->edits,
            ),
            ...[array_map(static fn (string $command): string => "  $ {$command}", $this->commands)],
        );
    }

    /**
     * @return array{
     *     text: string,
     *     edits: list<array{file: string, line: ?int, old: ?string, new: ?string}>,
     *     commands: list<string>,
     *     rollback: string,
     *     verify: string,
     * }
     */
    public function toArray(): array
    {
        return [
            'text' => $this->text,
            'edits' => array_map(static fn (Edit $edit): array => $edit->toArray(), $this->edits),
            'commands' => $this->commands,
            'rollback' => $this->rollback,
            'verify' => $this->verify,
        ];
    }
}
