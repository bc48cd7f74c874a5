<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

use Closure;

/**
 * The doctor's findings for one planted fault, before and after its fix.
 *
 * @phpstan-import-type Problem from WholeStack
 */
final readonly class Outcome
{
    /**
     * @param list<string> $false what was told and is not so
     * @param list<string> $left what was told after the fix
     * @param list<string> $leftOut commands of the fix that could not be run here
     * @param bool $isServing whether the application answers after the fix
     */
    private function __construct(
        public Planting $planting,
        public bool $isFound,
        public array $false,
        public ?bool $isFixed,
        public array $left,
        public array $leftOut,
        public bool $isServing = true,
    ) {}

    public static function of(Planting $planting): self
    {
        $stack = WholeStack::with($planting);
        $expected = array_filter([$planting->rule, ...$planting->also], static fn (string $id): bool => $id !== '');
        $problems = self::looked($stack, static fn (string ...$ids): bool => array_diff($expected, $ids) === []);
        $found = array_values(array_filter(
            $problems,
            static fn (array $problem): bool => $problem['id'] === $planting->rule,
        ));
        $false = array_values(array_filter(
            $problems,
            static fn (array $problem): bool => ! in_array($problem['id'], $expected, true),
        ));

        if ($found === []) {
            return new self(
                $planting,
                false,
                self::told($false),
                null,
                [],
                [],
                $planting->name !== Planting::nothing()->name || $stack->serves(),
            );
        }

        $leftOut = array_merge(...array_map($stack->applyFix(...), $found));
        $isOver = static fn (string ...$ids): bool => array_diff($ids, $planting->also) === [];
        // A pool that reloads answers nothing for a moment, so the fault is unknown then.
        $isStill = static fn (string ...$ids): bool => in_array($planting->rule, $ids, true);
        $left = self::looked($stack, $planting->isProse ? $isStill : $isOver);
        $left = array_values(array_filter(
            $left,
            static fn (array $problem): bool => ! in_array($problem['id'], $planting->also, true),
        ));

        return new self(
            $planting,
            true,
            self::told($false),
            $left === [],
            self::told($left),
            $leftOut,
            self::passesNowhere($planting) || $stack->serves(),
        );
    }

    public function isGood(): bool
    {
        return $this->false === []
            && $this->isServing
            && $this->isFound === ($this->planting->rule !== '')
            && $this->isFixed === ($this->planting->rule === '' ? null : ! $this->planting->isProse);
    }

    public function row(): string
    {
        $fix = match (true) {
            $this->isFixed === null => '',
            $this->isFixed => 'fixed by its fix'
                .($this->leftOut === [] ? '' : ', without: '.implode('; ', $this->leftOut)),
            $this->planting->isProse => 'its fix is a sentence',
            default => 'STILL THERE after its fix: '.implode(' ', $this->left),
        };
        $told = match (true) {
            $this->planting->rule === '' => $this->false === [] ? 'quiet' : 'ALARM',
            $this->isFound => 'found',
            default => 'NOT FOUND',
        };

        $name = $this->planting->rule === ''
            ? $this->planting->name
            : (string) preg_replace("/\\A{$this->planting->rule} /", '', $this->planting->name);

        return rtrim(sprintf(
            '%-4s %-48s %-9s %s',
            $this->planting->rule,
            $name,
            $told,
            $fix.($this->isServing ? '' : ', and THE APPLICATION IS GONE'),
        ))
            .($this->false === [] ? '' : "\n       FALSE: ".implode(' ', $this->false));
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'planted' => $this->planting->name,
            'rule' => $this->planting->rule,
            'found' => $this->isFound,
            'false' => $this->false,
            'fixed' => $this->isFixed,
            'fix_is_prose' => $this->planting->isProse,
            'left' => $this->left,
            'serves_after_fix' => $this->isServing,
            'commands_left_out' => $this->leftOut,
        ];
    }

    /** @param array<string, mixed> $told as toArray() does it, of what was planted elsewhere */
    public static function fromArray(Planting $planting, array $told): self
    {
        /**
         * @var array{
         *     found: bool,
         *     false: list<string>,
         *     fixed: ?bool,
         *     left: list<string>,
         *     serves_after_fix: bool,
         *     commands_left_out: list<string>,
         * } $told
         */
        return new self(
            $planting,
            $told['found'],
            $told['false'],
            $told['fixed'],
            $told['left'],
            $told['commands_left_out'],
            $told['serves_after_fix'],
        );
    }

    private static function passesNowhere(Planting $planting): bool
    {
        return str_contains(implode('', $planting->nginx), 'fastcgi_pass 127.0.0.1:9;');
    }

    /**
     * Servers handle a signal, and notice closed connections, after a moment.
     *
     * @param Closure(string...): bool $enough of the ids
     * @return list<Problem>
     */
    private static function looked(WholeStack $stack, Closure $enough): array
    {
        for ($look = 1; ; $look++) {
            $problems = $stack->problems();

            if ($look === 6 || $enough(...array_column($problems, 'id'))) {
                return $problems;
            }

            usleep(300_000);
        }
    }

    /**
     * @param list<Problem> $problems
     * @return list<string>
     */
    private static function told(array $problems): array
    {
        return array_map(
            static fn (array $problem): string => trim("{$problem['id']} {$problem['subject']}")
                .": {$problem['message']}",
            $problems,
        );
    }
}
