<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor;

use Closure;
use FilesystemIterator;
use Headroom\Console\Doctor\FactProviders;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\PartialFact;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Redis\RedisWindow;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Status;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use Headroom\Tests\Unit\Doctor\Support\PartlyKnown;
use Headroom\Tests\Unit\Doctor\Support\PlantedStack;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;
use Throwable;

/**
 * No check says that all is well of what it could not read: each fact is made unreadable in turn, in whole and in part,
 * under a stack that is sick and one that is well, and each check is asked.
 */
#[Group('doctor')]
final class UnreadableFactsTest extends TestCase
{
    /** @return iterable<string, array{bool}> */
    public static function stacks(): iterable
    {
        yield 'sick' => [true];
        yield 'well' => [false];
    }

    #[Test]
    public function the_planted_stack_has_faults_that_most_checks_find(): void
    {
        [$sick, $well] = [new PlantedStack(true), new PlantedStack(false)];
        $found = self::idsOf($sick, static fn (Status $status): bool => $status->isProblem());
        $passed = self::idsOf($well, static fn (Status $status): bool => $status === Status::Pass);

        self::assertGreaterThan(65, count($found), implode(' ', $found));
        self::assertGreaterThan(65, count($passed), implode(' ', $passed));
        self::assertSame(
            [],
            array_values(
                array_intersect(
                    $found,
                    self::idsOf($well, static fn (Status $status): bool => $status === Status::Fail),
                ),
            ),
        );
    }

    #[Test]
    #[DataProvider('stacks')]
    public function a_check_without_a_fact_it_asks_for_is_unknown(bool $isSick): void
    {
        $stack = new PlantedStack($isSick);
        $known = $stack->facts();
        $asks = [];
        $asked = 0;

        foreach (CheckList::ofPackage()->ids() as $id) {
            $asks[$id] = self::asked($id, $known);
        }

        foreach (self::classes() as $class) {
            $ids = array_keys(array_filter($asks, static fn (array $asked): bool => in_array($class, $asked, true)));

            $facts = $stack->facts([
                $class => static fn (): object => throw FactUnavailable::because('no rights', 'sudo cat it'),
            ]);

            foreach ($ids as $id) {
                $seen = array_map(
                    static fn (Status $status): string => $status->value,
                    array_values(self::said(Checks::only($id), $facts)),
                );
                $asked++;

                self::assertSame(
                    [],
                    array_values(array_intersect(['pass', 'skipped', 'crashed'], $seen)),
                    "{$id} without {$class}",
                );
                self::assertNotSame([], $seen, "{$id} without {$class}");
            }
        }

        self::assertGreaterThan(count(CheckList::ofPackage()->ids()), $asked);
    }

    #[Test]
    #[DataProvider('stacks')]
    public function no_check_turns_well_for_want_of_a_fact(bool $isSick): void
    {
        $stack = new PlantedStack($isSick);
        $known = $stack->facts();
        $before = [];

        foreach (CheckList::ofPackage()->ids() as $id) {
            $before[$id] = self::said(Checks::only($id), $known);
        }

        $wholes = array_map(
            static fn (string $class): array => [
                $class => static fn (): object => throw FactUnavailable::because('no rights', 'sudo cat it'),
            ],
            array_combine(self::classes(), self::classes()),
        );

        foreach ([...$wholes, ...iterator_to_array(PartlyKnown::of($stack))] as $form => $instead) {
            $facts = $stack->facts($instead);

            foreach ($before as $id => $said) {
                $after = self::said(Checks::only($id), $facts);
                self::assertNotContains(Status::Crashed, $after, "{$id} with {$form}");

                foreach (array_filter(
                    $after,
                    static fn (Status $status): bool => $status->isWell(),
                ) as $key => $status) {
                    self::assertSame(
                        $said[$key] ?? null,
                        $status,
                        "{$id} with {$form}: {$key} said something else, or nothing, before.",
                    );
                }

                $gone = array_diff_key($said, $after);
                self::assertTrue(
                    $gone === [] || in_array(Status::Unknown, $after, true),
                    "{$id} with {$form}: without a word on ".implode(', ', array_keys($gone)),
                );
            }
        }
    }

    #[Test]
    public function each_fact_that_may_be_known_in_part_is_planted_so(): void
    {
        $stack = new PlantedStack(true);
        $planted = [];

        foreach (PartlyKnown::of($stack) as $instead) {
            $facts = $stack->facts($instead);

            $found = array_map($facts->find(...), array_keys($instead));

            foreach ([...$found, ...($facts->find(NginxServers::class)->known ?? [])] as $fact) {
                $class = $fact === null ? '' : $fact::class;
                $planted[$class] = ($planted[$class] ?? false)
                    || ($fact instanceof PartialFact && $fact->unread() !== []);
            }
        }

        foreach (self::classesThatMayBeKnownInPart() as $class) {
            self::assertTrue(
                $planted[$class] ?? false,
                "Plant a {$class} of which a part could not be read: PartlyKnown.",
            );
        }
    }

    #[Test]
    #[DataProvider('stacks')]
    public function a_careless_check_is_unknown_by_construction(bool $isSick): void
    {
        $stack = new PlantedStack($isSick);

        foreach (array_keys($stack->probes()) as $class) {
            foreach ([
                Finding::pass('all is well'),
                Finding::skipped('nothing here'),
                Finding::pass('well')->about('pool www'),
                null,
            ] as $finding) {
                $check = self::careless($class, $finding);
                $after = self::said(
                    $check,
                    $stack->facts(
                        [$class => static fn (): object => throw FactUnavailable::because('no rights', 'sudo cat it')],
                    ),
                );
                self::assertSame(
                    [Status::Unknown],
                    array_values(array_unique(array_values($after), SORT_REGULAR)),
                    $class,
                );

                // A subject that does not exist is not unknown.
                $absent = self::said(
                    $check,
                    $stack->facts([$class => static fn (): object => throw NotApplicable::of('not here')]),
                );
                self::assertSame([$finding->status ?? Status::Skipped], array_values($absent), $class);
            }
        }
    }

    #[Test]
    public function what_a_fact_was_made_of_counts_as_well(): void
    {
        $unknown = static fn (): object => throw FactUnavailable::because('no rights', 'sudo cat it');
        $made = static function (Facts $facts): RedisWindow {
            try {
                $facts->get(RedisServers::class);
            } catch (FactUnavailable) {
            }

            return new RedisWindow([]);
        };
        $check = self::careless(RedisWindow::class, Finding::pass('all is well'));

        self::assertSame(
            [Status::Unknown],
            array_values(self::said($check, new Facts([RedisServers::class => $unknown, RedisWindow::class => $made]))),
        );
        self::assertSame(
            [Status::Pass],
            array_values(
                self::said(
                    $check,
                    new Facts(
                        [
                            RedisServers::class => $unknown,
                            RedisWindow::class => static fn (): RedisWindow => new RedisWindow([]),
                        ],
                    ),
                ),
            ),
        );
    }

    /** @return list<class-string> those below src/Doctor */
    private static function classesThatMayBeKnownInPart(): array
    {
        $root = dirname(__DIR__, 3).'/src/Doctor/';
        $classes = [];

        foreach (new RecursiveIteratorIterator(
            new RecursiveDirectoryIterator($root, FilesystemIterator::SKIP_DOTS),
        ) as $file) {
            $class = $file instanceof SplFileInfo ? 'Headroom\\Doctor\\'.str_replace(
                '/',
                '\\',
                substr($file->getPathname(), strlen($root), -4),
            ) : '';

            if (is_subclass_of($class, PartialFact::class)) {
                $classes[] = $class;
            }
        }

        self::assertGreaterThan(3, count($classes));

        return $classes;
    }

    /** @return list<class-string> facts that there are */
    private static function classes(): array
    {
        return array_keys((new PlantedStack(true))->probes() + FactProviders::ofThisMachine());
    }

    /** @return list<class-string> facts that the check judges by */
    private static function asked(string $id, Facts $known): array
    {
        $facts = $known->traced();
        $check = CheckList::ofPackage()->check($id);

        try {
            match (true) {
                $check instanceof PoolCheck => $facts->get(FpmPools::class)->each(
                    static fn (FpmPool $pool): Finding => $check->examine($pool, $facts),
                ),
                $check instanceof NginxCheck => array_map(
                    static fn (NginxServer $nginx): array => [...$check->examine($nginx, $facts)],
                    $facts->get(NginxServers::class)->known,
                ),
                $check instanceof RedisCheck => $facts->get(RedisServers::class)->each(
                    static fn (RedisServer $server): Finding => $check->examine($server, $facts),
                ),
                $check instanceof Check => [...$check->examine($facts)],
            };
        } catch (Throwable) {
            // It has asked for its facts.
        }

        return array_values(array_filter(self::classes(), $facts->wasAsked(...)));
    }

    /** @return array<string, Status> by the key of the result; of two with one key the one that is not well */
    private static function said(CheckList $checks, Facts $facts): array
    {
        $said = [];

        foreach ((new CheckRunner($checks))->run($facts)->results as $result) {
            $status = $result->finding->status;
            $before = $said[$result->key()] ?? $status;
            $said[$result->key()] = $before->isWell() ? $status : $before;
        }

        return $said;
    }

    /**
     * @param Closure(Status): bool $is
     * @return list<string>
     */
    private static function idsOf(PlantedStack $stack, Closure $is): array
    {
        $facts = $stack->facts();

        return array_values(array_filter(
            CheckList::ofPackage()->ids(),
            static fn (string $id): bool => array_filter(self::said(Checks::only($id), $facts), $is) !== [],
        ));
    }

    /**
     * It hides that a fact is not known.
     *
     * @param class-string $class
     */
    private static function careless(string $class, ?Finding $finding): CheckList
    {
        return CheckList::ofPackage()->only([])->with('N1', new class($class, $finding) implements Check
        {
            /** @param class-string $class */
            public function __construct(private readonly string $class, private readonly ?Finding $finding) {}

            public function examine(Facts $facts): iterable
            {
                try {
                    $facts->get($this->class);
                } catch (FactUnavailable|NotApplicable) {
                }

                return $this->finding === null ? [] : [$this->finding];
            }
        });
    }
}
