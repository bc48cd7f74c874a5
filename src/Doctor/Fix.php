<?php

declare(strict_types=1);

namespace Headroom\Doctor;

use Closure;

/**
 * The repair of a finding. The doctor prints it and changes nothing. The commands, the undo and the command that shows
 * that it worked follow from the changes; a check gives its own only where they differ.
 */
final readonly class Fix
{
    /** @var string what to do in one sentence, and one sentence for each change that is not an edit */
    public string $text;

    /** @var list<Edit> to be applied from the last to the first, so that the lines of the others keep their numbers */
    public array $edits;

    /** @var list<string> first those that make the changes effective */
    public array $commands;

    public string $rollback;

    private string $own;

    private ?string $undo;

    /** @var list<ManualChange> */
    private array $manual;

    /**
     * @param string $text one sentence; '': the advice of the text of the check
     * @param list<Edit|ManualChange> $changes in any order
     * @param list<string> $commands in addition to those that make the changes effective; '' is left out
     * @param ?string $rollback one sentence; null: restore the lines
     * @param string $verify the command that shows that it worked; '': the doctor with this check only
     */
    public function __construct(
        string $text = '',
        array $changes = [],
        array $commands = [],
        ?string $rollback = null,
        public string $verify = '',
    ) {
        $this->manual = array_values(array_filter(
            $changes,
            static fn (Edit|ManualChange $one): bool => $one instanceof ManualChange,
        ));
        $this->own = $text;
        $this->undo = $rollback;
        $this->text = $this->textWith($text);
        $this->edits = self::sorted($changes);
        $apply = array_map(static fn (Edit|ManualChange $change): string => $change->apply, $changes);
        $this->commands = array_values(array_unique(array_filter(
            [...$apply, ...$commands],
            static fn (string $command): bool => $command !== '',
        )));
        $this->rollback = $rollback ?? match (true) {
            $changes === [] => '',
            $this->commands === [] => 'Restore the lines above.',
            default => 'Restore the lines above, then run the same commands.',
        };
    }

    /**
     * The same repair and more, which comes after it.
     *
     * @param list<Edit|ManualChange> $changes
     * @param list<string> $commands
     */
    public function with(array $changes = [], array $commands = []): self
    {
        return new self(
            $this->own,
            [...$this->edits, ...$this->manual, ...$changes],
            [...$this->commands, ...$commands],
            $this->undo,
            $this->verify,
        );
    }

    /** This repair and another one after it. */
    public function and(self $other): self
    {
        return $this->with([...$other->edits, ...$other->manual], $other->commands);
    }

    /**
     * This repair after changes without which it would do harm: if they are made by hand, its own edits are left out.
     *
     * @param list<Edit|ManualChange> $changes
     */
    public function after(array $changes): self
    {
        $isByHand = array_filter($changes, static fn (Edit|ManualChange $one): bool => $one instanceof ManualChange)
            !== [];

        return new self(
            $this->own,
            [...$changes, ...$this->manual, ...($isByHand ? [] : $this->edits)],
            $this->commands,
            $this->undo,
            $this->verify,
        );
    }

    /**
     * As a user types its commands.
     *
     * @internal
     *
     * @param string $verify the command that shows that it worked, if the check gives none
     * @param Closure(string): string $render
     * @param string $advice the text, if the check gives none
     */
    public function withUserCommands(string $verify, Closure $render, string $advice = ''): self
    {
        return new self(
            $render($this->own === '' ? $this->textWith($advice) : $this->text),
            array_map(static fn (Edit $edit): Edit => $edit->effectiveAfter(''), $this->edits),
            array_map($render, $this->commands),
            $render($this->rollback),
            $this->verify === '' ? $verify : $render($this->verify),
        );
    }

    private function textWith(string $advice): string
    {
        $manual = array_map(static fn (ManualChange $change): string => $change->text, $this->manual);

        return implode(' ', $advice === '' ? $manual : [$advice, ...$manual]);
    }

    /** @return list<string> */
    public function lines(): array
    {
        $lines = [$this->text];

        foreach ($this->edits as $edit) {
            array_push($lines, ...array_map(static fn (string $line): string => "  {$line}", $edit->lines()));
        }

        return [...$lines, ...array_map(static fn (string $command): string => "  $ {$command}", $this->commands)];
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

    /**
     * @param list<Edit|ManualChange> $changes
     * @return list<Edit>
     */
    private static function sorted(array $changes): array
    {
        $edits = array_values(array_filter($changes, static fn (Edit|ManualChange $one): bool => $one instanceof Edit));
        usort(
            $edits,
            static fn (Edit $a, Edit $b): int => [$a->file, $a->line ?? PHP_INT_MAX, $a->old !== null]
                <=> [$b->file, $b->line ?? PHP_INT_MAX, $b->old !== null],
        );

        return $edits;
    }
}
