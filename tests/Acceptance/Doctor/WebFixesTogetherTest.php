<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Report;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\Status;
use Headroom\Tests\Acceptance\Doctor\Planted\AllFaults;
use Headroom\Tests\Acceptance\Doctor\Planted\DrawnStack;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use Headroom\Tests\Unit\Doctor\Support\Together;
use Headroom\Tests\Unit\Doctor\Support\WrittenApplication;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * All faults of configuration that nginx and PHP-FPM can have together, and all that their fixes say, done to real
 * servers: by twos, and
 * all at once.
 */
final class WebFixesTogetherTest extends TestCase
{
    #[Test, Group('day-2')]
    public function all_fixes_at_once_build_no_other_fault(): void
    {
        $stack = new Stack(AllFaults::nginx(), ['request_terminate_timeout = 55s' => ''] + AllFaults::fpm());
        $before = $stack->examined(self::checks());
        $ids = array_map(static fn (CheckResult $verdict): string => $verdict->check->id, $before->problems());
        self::assertSame([], array_diff(AllFaults::WEB, $ids, ['N9']));

        for ($round = 0; $round < 4 && WrittenApplication::fixes($before) !== []; $round++) {
            $this->apply($stack, WrittenApplication::fixes($before));
            $after = $stack->examined(self::checks());
            self::assertNothingNew($before, $after);
            $before = $after;
        }

        self::assertSame([], array_keys(WrittenApplication::fixes($before)));
        self::assertSame('served', $stack->get());
    }

    #[Test, Group('day-3')]
    public function no_two_fixes_build_another_fault(): void
    {
        // A pool on demand has no process that would show a reload.
        $fpm = array_diff_key(AllFaults::fpm(), ['pm = static' => '']);
        $keys = array_keys(self::numbered((new Stack(AllFaults::nginx(), $fpm))->examined(self::checks())));
        $pairs = [];

        foreach ($keys as $at => $one) {
            foreach (array_slice($keys, $at + 1) as $other) {
                $pairs["{$one} and {$other}"] = [$one, $other];
            }
        }

        foreach (Sample::of($pairs, 3) as $pair) {
            $stack = new Stack(AllFaults::nginx(), $fpm);
            $before = $stack->examined(self::checks());
            $this->apply($stack, array_intersect_key(self::numbered($before), array_flip($pair)));
            self::assertNothingNew($before, $stack->examined(self::checks()), implode(' and ', $pair));
        }
    }

    /** @return iterable<int, array{int}> */
    public static function seeds(): iterable
    {
        foreach (range(1, Sample::number(2, 60)) as $number) {
            yield $number => [Sample::seed() + $number];
        }
    }

    #[Test, Group('day-3')]
    #[DataProvider('seeds')]
    public function fixes_of_a_stack_that_was_drawn_build_no_other_fault(int $seed): void
    {
        [$nginx, $fpm] = DrawnStack::of($seed);
        $stack = new Stack($nginx, $fpm);
        $before = $stack->examined(self::checks());

        for ($round = 0; $round < 4 && WrittenApplication::fixes($before) !== []; $round++) {
            $this->apply($stack, WrittenApplication::fixes($before));
            $after = $stack->examined(self::checks());
            self::assertNothingNew($before, $after, "seed {$seed}: ".json_encode([$nginx, $fpm]));
            $before = $after;
        }

        self::assertSame(
            [],
            array_keys(WrittenApplication::fixes($before)),
            "seed {$seed}: ".json_encode([$nginx, $fpm]),
        );
        self::assertSame('served', $stack->get());
    }

    /** @param array<string, Fix> $fixes */
    private function apply(Stack $stack, array $fixes): void
    {
        [$edits] = Together::of($fixes);
        $commands = array_merge(...array_values(array_map(static fn (Fix $fix): array => $fix->commands, $fixes)));
        $stack->applyFix(new Fix('all of them', $edits, array_values(array_unique($commands))));
    }

    private static function assertNothingNew(Report $before, Report $after, string $fixes = ''): void
    {
        $was = WrittenApplication::statuses($before);
        $new = [];

        foreach ($after->problems() as $problem) {
            $status = $was[$problem->key()] ?? Status::Pass;

            if (! $status->isProblem() || ($status === Status::Warn && $problem->finding->status === Status::Fail)) {
                $new[] = "{$problem->key()}: {$problem->finding->message}";
            }
        }

        self::assertSame([], $new, $fixes);
        self::assertSame(0, $after->count(Status::Crashed));
    }

    /** @return array<string, Fix> by rule, as ports and paths of two stacks differ */
    private static function numbered(Report $diagnosis): array
    {
        $fixes = [];

        foreach (WrittenApplication::fixes($diagnosis) as $key => $fix) {
            $fixes[strtok($key, ' ').' '.count($fixes)] = $fix;
        }

        return $fixes;
    }

    private static function checks(): CheckList
    {
        return Checks::ofLayers('NFO');
    }
}
