<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use Headroom\Tests\Architecture\Counts\BannedWords;
use Headroom\Tests\Architecture\Counts\Budgets;
use Headroom\Tests\Architecture\Counts\Count;
use Headroom\Tests\Architecture\Counts\FileParser;
use Headroom\Tests\Architecture\Counts\HouseCounts;
use Headroom\Tests\Architecture\Counts\Layout;
use Headroom\Tests\Architecture\Counts\Lines;
use Headroom\Tests\Architecture\Counts\ParsedFile;
use Headroom\Tests\Architecture\Counts\Text;
use Headroom\Tests\Architecture\Counts\Wording;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class HouseCountsTest extends TestCase
{
    #[Test]
    public function no_count_is_above_its_budget(): void
    {
        $counts = HouseCounts::all();
        $breaches = Budgets::read()->breaches($counts);

        self::assertNotSame([], $counts);

        if ($breaches !== []) {
            self::fail("\n".implode("\n", Budgets::read()->breaches($counts, Budgets::changedSince())));
        }
    }

    #[Test]
    public function folders_that_import_each_other_are_counted_as_one_pair(): void
    {
        $counts = self::layout([
            'src/Spool/Door.php' => '<?php namespace Headroom\Spool;
                final class Door { public ?File\Slots $a; public ?Redis\Client $b; public ?Own $c; }',
            'src/Spool/File/Slots.php' => '<?php namespace Headroom\Spool\File; use Headroom\Spool\Door as D;
                final class Slots { public function a(): ?D {} }',
            'src/Spool/Redis/Client.php' => '<?php namespace Headroom\Spool\Redis; use Headroom\Spool\Door;
                /** @see Door */ final class Client {}',
            'src/Spool/Own.php' => '<?php namespace Headroom\Spool; final class Own { public ?Door $a; }',
        ]);

        self::assertSame(
            ['Spool → Spool\File 1 times, Spool\File → Spool 1 times'],
            $counts['two_way_pairs.all']->offenders,
        );
        self::assertSame(1, $counts['two_way_pairs.first_half']->value);
        self::assertSame(0, $counts['two_way_pairs.rooms']->value);
    }

    #[Test]
    public function folders_of_one_room_and_rooms_are_pairs_of_their_own(): void
    {
        $counts = self::layout([
            'src/Load/Run/A.php' => '<?php namespace Headroom\Load\Run;
                final class A { public ?\Headroom\Load\Http\Deep\B $b; }',
            'src/Load/Http/Deep/B.php' => '<?php namespace Headroom\Load\Http\Deep; use Headroom\{Load\Run\A, Sink\C};
                final class B { public A|C|null $a; }',
            'src/Sink/C.php' => '<?php namespace Headroom\Sink; use Headroom\Load\Run\A;
                final class C { public function a(object $a): bool { return $a instanceof A; } }',
        ]);

        self::assertSame(
            ['Load\Http → Load\Run 1 times, Load\Run → Load\Http 1 times'],
            $counts['two_way_pairs.all']->offenders,
        );
        self::assertSame(0, $counts['two_way_pairs.first_half']->value);
        self::assertSame(['Load → Sink 1 times, Sink → Load 1 times'], $counts['two_way_pairs.rooms']->offenders);
    }

    #[Test]
    public function the_21st_file_makes_a_folder_full(): void
    {
        $files = static function (int $number): array {
            $files = [];

            for ($name = 1; $name <= $number; $name++) {
                $files["src/Spool/A{$name}.php"] = "<?php namespace Headroom\\Spool; final class A{$name} {}";
            }

            return $files;
        };

        self::assertSame(0, self::layout($files(20))['folders_over_twenty']->value);
        self::assertSame(['src/Spool: 21 files'], self::layout($files(21))['folders_over_twenty']->offenders);
    }

    #[Test]
    public function a_short_name_used_twice_is_counted_once(): void
    {
        $class = static fn (string $namespace): string => "<?php namespace Headroom\\{$namespace}; final class Page {}";
        $counts = self::layout([
            'src/Load/Page.php' => $class('Load'),
            'src/Load/Run/Page.php' => $class('Load\Run'),
            'src/Sink/Page.php' => $class('Sink'),
        ]);

        self::assertSame(
            ['src/Load/Page.php: Page is also in src/Load/Run/Page.php'],
            $counts['repeated_names.in_rooms']->offenders,
        );
        self::assertSame(1, $counts['repeated_names.in_rooms.Load']->value);
        self::assertSame(
            ['src/Load/Page.php: Page is also in src/Load/Run/Page.php, src/Sink/Page.php'],
            $counts['repeated_names.all']->offenders,
        );
    }

    #[Test]
    public function the_16th_parameter_of_a_constructor_is_too_many(): void
    {
        $long = static fn (int $number): array => self::layout([
            'src/Load/A.php' => '<?php namespace Headroom\Load; final class A { public function __construct($a'
                .implode(', public int $a', range(1, $number)).') {} }',
        ])['long_constructors']->offenders;

        self::assertSame([], $long(15));
        self::assertSame(['src/Load/A.php: 16 parameters'], $long(16));
    }

    #[Test]
    public function a_message_of_more_than_300_characters_is_counted(): void
    {
        $throwing = static fn (string $argument, string $implements = 'implements Wish'): array => self::wording([
            'src/Sink/Wish.php' => '<?php namespace Headroom\Sink; use Headroom\Core\HeadroomException;
                interface Wish extends HeadroomException {}',
            'src/Sink/A.php' => "<?php namespace Headroom\\Sink; final class A {$implements} {"
                ." public static function because(string \$a): self { return new self({$argument}); } }",
        ])['long_messages']->offenders;
        $half = str_repeat('ä', 150);

        self::assertSame([], $throwing("'{$half}'.\$a.'{$half}'"));
        self::assertSame(['src/Sink/A.php:1: 301 characters'], $throwing("'{$half}'.\$a.'{$half}.'"));
        self::assertSame(['src/Sink/A.php:1: 301 characters'], $throwing("sprintf(\"{$half}{\$a}.\", '{$half}')"));
        self::assertSame(['src/Sink/A.php:1: 301 characters'], $throwing("'.'.(\$a ? '{$half}' : '').'{$half}'"));
        self::assertSame([], $throwing("\$a ? '{$half}' : '{$half}.'"));
        self::assertSame([], $throwing("'{$half}{$half}.'", ''));
    }

    #[Test]
    public function artisan_is_counted_in_texts_of_rooms_without_laravel(): void
    {
        $code = "<?php // php artisan one\nfinal class A { public const B = 'php artisan two'; }";
        $in = static fn (string $path): array => self::wording([$path => $code])['artisan_in_rooms']->offenders;

        self::assertSame(['src/Sink/A.php:2'], $in('src/Sink/A.php'));
        self::assertSame([], $in('src/Laravel/A.php'));
    }

    #[Test]
    public function the_121st_character_makes_a_line_wide(): void
    {
        self::assertSame([], Lines::wideIn(str_repeat('ä', 120)."\nb"));
        self::assertSame([2], Lines::wideIn("b\n".str_repeat('ä', 121)));
    }

    /** @return iterable<string, array{string, string}> the word, and a text that has it once */
    public static function banned(): iterable
    {
        yield 'whoever' => ['whoever', '// Whoever reads it waits.'];
        yield 'whatever' => ['whatever', '// It takes whatever comes.'];
        yield 'whom' => ['whom', '// The client to whom it is sent.'];
        yield 'somebody' => ['somebody', "'Has somebody removed it?'"];
        yield 'nobody' => ['nobody', "'But nobody answers.'"];
        yield 'anew' => ['anew', '/** Begins anew. */'];
        yield 'mend' => ['mend', "'How it is mended.'"];
        yield 'can not' => ['can not', '"It can not be {$read}"'];
        yield 'for ever' => ['for ever', '// waits for ever'];
        yield 'beside' => ['beside', '// A file lies beside it.'];
        yield 'at work' => ['at work', "'A worker is at work.'"];
        yield 'what stands' => ['what stands', '// It reads what stands there.'];
        yield 'is none' => ['is none', '// A pipe is none.'];
        yield 'Who, an auxiliary' => ['Who as a subject', '// Who has connected loses nothing.'];
        yield 'Who, a third person' => ['Who as a subject', "/**\n * It waits. Who\n * reads it sees that.\n */"];
        yield 'What, a past tense' => ['What as a subject', '/** What waited is sent. */'];
        yield 'What, in a second line' => ['What as a subject', "// Nothing is lost.\n// What is left stays."];
        yield 'What, after a tag' => ['What as a subject', '/** @param list<string> $a What comes. */'];
    }

    #[Test]
    #[DataProvider('banned')]
    public function a_banned_word_is_found(string $word, string $text): void
    {
        $reason = BannedWords::patterns()[$word]->reason;

        self::assertSame(["src/Sink/A.php:2: {$word}. {$reason}"], self::wordsOf($text));
    }

    /** @return iterable<string, array{string}> */
    public static function kept(): iterable
    {
        yield 'the user nobody' => ["'The workers run as nobody:nogroup, which is the user `nobody`.'"];
        yield 'a user by name' => ["['nobody', 'mend']"];
        yield 'a variable' => ['$somebody'];
        yield 'whose' => ['// A worker whose lease ends.'];
        yield 'a question' => ['// Who has it? What is left?'];
        yield 'an object' => ['// What it takes.'];
        yield 'in a literal' => ["'What is left.'"];
        yield 'can not only' => ['// It can not only read.'];
        yield 'parts of words' => ['// Amended, renewed, besides it, work, a workaround.'];
        yield 'no sentence' => ['// Nothing says who is there.'];
    }

    #[Test]
    #[DataProvider('kept')]
    public function another_word_is_none(string $text): void
    {
        self::assertSame([], self::wordsOf($text));
    }

    #[Test]
    public function each_banned_word_has_a_sample(): void
    {
        $samples = array_unique(array_column(iterator_to_array(self::banned()), 0));

        self::assertSame(array_keys(BannedWords::patterns()), array_values($samples));
    }

    #[Test]
    public function a_document_is_read_line_by_line(): void
    {
        self::assertSame(['2: anew. Say "again".'], BannedWords::inLines("# What is left\nIt begins anew.\n"));
    }

    #[Test]
    public function a_count_above_its_budget_shows_what_changed_and_what_is_worst(): void
    {
        $budgets = new Budgets(['a' => ['budget' => 29, 'aim' => 0]]);
        $offenders = array_map(static fn (int $number): string => "src/A{$number}.php:1: bad", range(1, 30));
        $count = Count::of('a', $offenders);
        $lines = explode("\n    ", $budgets->breaches([$count], ['src/A30.php'])[0]);

        self::assertSame('a is 30, above its budget of 29:', $lines[0]);
        self::assertSame(['src/A30.php:1: bad', 'src/A1.php:1: bad'], array_slice($lines, 1, 2));
        self::assertSame('and 10 more', $lines[21]);
        self::assertSame([], $budgets->breaches([new Count('a', 29)]));
        self::assertSame([], $budgets->breaches([new Count('a', 3), new Count('part', 99, isBudgeted: false)]));
    }

    #[Test]
    public function a_budget_falls_and_never_rises(): void
    {
        $budgets = new Budgets(['a' => ['budget' => 5, 'aim' => 1], 'b' => ['budget' => 5, 'aim' => 2]]);
        $lowered = $budgets->lowered([
            new Count('a', 4), new Count('b', 6), new Count('new', 7), new Count('part', 9, isBudgeted: false),
        ]);

        self::assertSame([
            'a' => ['budget' => 4, 'aim' => 1],
            'b' => ['budget' => 5, 'aim' => 2],
            'new' => ['budget' => 7, 'aim' => 0],
        ], $lowered->budgets);
    }

    #[Test]
    public function lines_have_room_for_what_replaces_others(): void
    {
        $lowered = (new Budgets([]))->lowered([new Count('lines.src', 10_499), new Count('lines.tests', 10_500)]);

        self::assertSame([11_000, 12_000], array_column($lowered->budgets, 'budget'));
    }

    #[Test]
    public function counts_and_budgets_name_the_same(): void
    {
        $budgets = new Budgets(['a' => ['budget' => 5, 'aim' => 1], 'b' => ['budget' => 5, 'aim' => 2]]);
        $breaches = $budgets->breaches([new Count('a', 1), new Count('new', 0)]);

        self::assertCount(2, $breaches);
        self::assertStringStartsWith('new is 0 and has no budget', $breaches[0]);
        self::assertStringStartsWith('b has a budget', $breaches[1]);
    }

    /**
     * @param array<string, string> $files code by path
     * @return array<string, Count>
     */
    private static function layout(array $files): array
    {
        return array_column((new Layout(self::parsed($files)))->counts(), null, 'name');
    }

    /**
     * @param array<string, string> $files
     * @return array<string, Count>
     */
    private static function wording(array $files): array
    {
        return array_column((new Wording(self::parsed($files)))->counts(), null, 'name');
    }

    /**
     * @param array<string, string> $files
     * @return list<ParsedFile>
     */
    private static function parsed(array $files): array
    {
        $parser = new FileParser;

        $parse = static fn (string $path): ParsedFile => $parser->parse($path, $files[$path]);

        return array_map($parse, array_keys($files));
    }

    /** @return list<string> */
    private static function wordsOf(string $text): array
    {
        return self::wording(['src/Sink/A.php' => "<?php\n{$text}\n;"])['banned_words.src']->offenders;
    }
}
