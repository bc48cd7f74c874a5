<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Runner;

use ArrayObject;
use Closure;
use Headroom\Doctor\Check;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\CheckText;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnableToEdit;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use stdClass;

final class CheckRunnerTest extends TestCase
{
    #[Test]
    public function one_check_that_fails_stops_no_other(): void
    {
        $diagnosis = (new CheckRunner(self::checks([
            self::check('A1', Severity::Low, static fn (): array => [Finding::pass('well')]),
            self::check('A2', Severity::High, static fn (): array => throw new RuntimeException('a defect')),
            self::check('A3', Severity::Info, static fn (): array => []),
            self::check(
                'A4',
                Severity::Medium,
                static fn (): array => throw FactUnavailable::because('no rights', 'sudo cat'),
            ),
            self::check('A5', Severity::High, static fn (): array => throw NotApplicable::of('no nginx here')),
            self::check(
                'A6',
                Severity::Low,
                static fn (): array => [
                    self::problem()->about('pool a'),
                    self::problem()->about('pool b'),
                    Finding::pass('well')->about('pool c'),
                ],
            ),
            self::check('A7', Severity::Critical, static fn (): array => [self::problem()]),
        ])))->run(new Facts([]));

        self::assertSame(
            [
                'A7 warn', 'A6 pool a warn', 'A6 pool b warn', 'A2 crashed', 'A4 unknown', 'A5 skipped', 'A3 skipped',
                'A1 pass', 'A6 pool c pass',
            ],
            array_map(
                static fn (CheckResult $verdict): string => "{$verdict->key()} {$verdict->finding->status->value}",
                $diagnosis->results,
            ),
        );
        self::assertStringContainsString('a defect', $diagnosis->results[3]->finding->message);
        self::assertCount(1, $diagnosis->problems(Severity::High));
        self::assertCount(3, $diagnosis->problems(Severity::Low));
        self::assertSame(
            ['A7', 'A6 pool b'],
            array_map(
                static fn (CheckResult $verdict): string => $verdict->key(),
                $diagnosis->without(['A6 pool a'])->problems(),
            ),
        );
        self::assertSame(
            ['A7'],
            array_map(
                static fn (CheckResult $verdict): string => $verdict->key(),
                $diagnosis->without(['A6'])->problems(),
            ),
        );
        self::assertSame(
            ['pass' => 2, 'warn' => 3, 'fail' => 0, 'unknown' => 1, 'skipped' => 2, 'crashed' => 1],
            $diagnosis->toArray()['counts'],
        );
    }

    #[Test]
    public function a_fact_is_looked_for_once_and_only_on_demand(): void
    {
        /** @var ArrayObject<int, string> $looked */
        $looked = new ArrayObject;
        $facts = new Facts([
            stdClass::class => static function () use ($looked): stdClass {
                $looked[] = 'first';

                return new stdClass;
            },
            RuntimeException::class => static function () use ($looked): never {
                $looked[] = 'second';

                throw FactUnavailable::because('not to be read');
            },
        ]);

        self::assertCount(0, $looked);
        self::assertSame($facts->get(stdClass::class), $facts->get(stdClass::class));
        self::assertCount(1, $looked);

        for ($i = 0; $i < 2; $i++) {
            try {
                $facts->get(RuntimeException::class);
                self::fail('It was known.');
            } catch (FactUnavailable) {
            }
        }

        self::assertSame(['first', 'second'], $looked->getArrayCopy());
    }

    #[Test]
    public function a_change_is_made_only_where_the_line_is_unchanged(): void
    {
        $text = "a\nb\r\nc\n";

        self::assertSame("a\nB\r\nc\n", Edit::replace('f', 2, 'b', 'B')->appliedTo($text));
        self::assertSame("a\nb\r\n", Edit::remove('f', 3, 'c')->appliedTo($text));
        self::assertSame("new\na\nb\r\nc\n", Edit::insert('f', 1, 'new')->appliedTo($text));
        self::assertSame("a\nb\r\nc\nlast\n", Edit::append('f', 'last')->appliedTo($text));
        self::assertSame("only\n", Edit::append('f', 'only')->appliedTo(''));

        $refused = [
            [Edit::replace('f', 2, 'x', 'y'), UnableToEdit::changed('f', 2, 'x', "b\r", 4)],
            [Edit::remove('f', 9, 'x'), UnableToEdit::changed('f', 9, 'x', null, 4)],
            [Edit::insert('f', 9, 'x'), UnableToEdit::changed('f', 9, null, null, 4)],
        ];

        foreach ($refused as [$edit, $expected]) {
            try {
                $edit->appliedTo($text);
                self::fail('It was made.');
            } catch (UnableToEdit $e) {
                self::assertSame($expected->getMessage(), $e->getMessage());
            }
        }
    }

    #[Test]
    public function a_fault_has_the_words_of_its_text_where_it_has_none(): void
    {
        $text = new CheckText('A1', 'Something', Severity::Low, Layer::Nginx, "Slow.\n\n## Fix\n\nRun `artisan up`.\n");
        $check = self::check('A1', Severity::Low, static fn (): array => [
            Finding::warn('wrong', [null, new Evidence('x', '1', 'f:1'), null]),
            Finding::fail('worse', [], new Fix('Do that.'), 'Very slow.'),
            Finding::pass('well', null),
        ])[1];
        $results = (new CheckRunner(self::checks([[$text, $check]])))->run(new Facts([]))->results;

        self::assertSame(
            [
                ['wrong', 1, 'Slow.', 'Run `php artisan up`.'],
                ['worse', 0, 'Very slow.', 'Do that.'],
                ['well', 0, '', null],
            ],
            array_map(static fn (CheckResult $result): array => [
                $result->finding->message,
                count($result->finding->evidence),
                $result->finding->consequence,
                $result->finding->fix?->text,
            ], $results),
        );
        self::assertSame('headroom doctor --only=A1', $results[0]->finding->fix?->verify);
    }

    private static function problem(): Finding
    {
        return Finding::warn('wrong', [new Evidence('x', '1', 'f:1')], new Fix('fix it'), 'slow');
    }

    /** @param list<array{CheckText, Check}> $checks */
    private static function checks(array $checks): CheckList
    {
        return array_reduce(
            $checks,
            static fn (CheckList $all, array $check): CheckList => $all->with($check[0]->id, $check[1], $check[0]),
            CheckList::ofPackage()->only([]),
        );
    }

    /**
     * @param Closure(): list<Finding> $examine
     * @return array{CheckText, Check}
     */
    private static function check(string $id, Severity $severity, Closure $examine): array
    {
        return [new CheckText($id, 'Something', $severity, Layer::Nginx, 'Why.'), new class($examine) implements Check
        {
            /** @param Closure(): list<Finding> $examine */
            public function __construct(private readonly Closure $examine) {}

            public function examine(Facts $facts): iterable
            {
                return ($this->examine)();
            }
        }];
    }
}
