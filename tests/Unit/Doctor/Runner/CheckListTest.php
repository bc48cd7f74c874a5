<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Runner;

use FilesystemIterator;
use Headroom\Console\Doctor\DoctorReport;
use Headroom\Console\Doctor\FactProviders;
use Headroom\Dev\Doctor\CheckIndex;
use Headroom\Doctor\Check;
use Headroom\Doctor\CheckText;
use Headroom\Doctor\CustomCheck;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Severity;
use Headroom\Doctor\Status;
use Headroom\Doctor\UnableToReadCheckText;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use ReflectionClass;
use SplFileInfo;

final class CheckListTest extends TestCase
{
    private const ROOT = __DIR__.'/../../../..';

    /** Checks of an application that this process does not run. */
    private const ELSEWHERE = ['B1', 'B2'];

    private const SECTIONS = ['Why', 'When it is reported', 'Fix', 'See that it worked', 'Sources'];

    /** Code that gives a fix its edits or commands. */
    private const CHANGES = '/\b(?:changes|commands):|Edit::|NginxChange::|ProxyKeepalive::|new Fix\([^()]*\['
        .'|(?:->|::)(?:fix|setting|systemFix|raised|change|changes)\(/';

    private const TEXT = <<<'MD'
        ---
        id: X1
        severity: high
        layer: nginx
        minutes: 5
        ---

        # A fault

        Requests wait.

        ## Sources

        - <https://nginx.org/>

        MD;

    #[Test]
    public function each_check_lies_in_a_folder_of_checks(): void
    {
        $checks = CheckList::ofPackage();
        $elsewhere = array_filter(
            array_map(static fn (string $id): string => $checks->check($id)::class, $checks->ids()),
            static fn (string $class): bool => ! str_contains($class, '\\Checks\\'),
        );

        self::assertSame([], $elsewhere);
        self::assertNotSame([], $checks->ids());
    }

    #[Test]
    public function the_index_of_checks_shows_the_texts(): void
    {
        self::assertStringEqualsFile(
            self::ROOT.'/docs/checks.md',
            CheckIndex::ofPackage()->markdown(),
            'docs/checks.md does not show resources/checks: php dev/checks.php writes it.',
        );
    }

    #[Test]
    public function each_check_is_in_the_list_once(): void
    {
        $written = [];

        foreach (new RecursiveIteratorIterator(
            new RecursiveDirectoryIterator(self::ROOT.'/src/Doctor', FilesystemIterator::SKIP_DOTS),
        ) as $file) {
            $class = 'Headroom\\Doctor'.str_replace(
                [self::ROOT.'/src/Doctor', '.php', '/'],
                ['', '', '\\'],
                $file instanceof SplFileInfo ? $file->getPathname() : '',
            );

            if (class_exists($class) && self::isCheck($class)) {
                $written[] = $class;
            }
        }

        $all = CheckList::ofPackage();
        self::assertEqualsCanonicalizing(
            $written,
            array_map(static fn (string $id): string => $all->check($id)::class, $all->ids()),
        );
    }

    #[Test]
    public function each_check_has_a_text_with_all_sections(): void
    {
        $files = array_map(strval(...), (array) glob(self::ROOT.'/resources/checks/*'));
        $ids = array_map(static fn (string $file): string => basename($file, '.md'), $files);
        self::assertEqualsCanonicalizing([...CheckList::ofPackage()->ids(), ...self::ELSEWHERE], $ids);

        foreach ($files as $file) {
            $text = CheckText::fromFile($file);
            preg_match_all('/^## (.+)$/m', $text->body, $sections);
            self::assertSame(self::SECTIONS, $sections[1], $file);
            self::assertMatchesRegularExpression('/\A\w.*[.]\n\n## Why\n\n/s', $text->body, $file);
            self::assertMatchesRegularExpression('/\A[A-Z]\d{1,2}\z/', $text->id);
            self::assertDoesNotMatchRegularExpression('/[.]\z/', $text->title, $file);
            self::assertSame([], preg_grep('~\Ahttps://\S+\z~', $text->sources, PREG_GREP_INVERT), $file);
            self::assertNotSame([], $text->sources, $file);

            foreach (self::namedResults($text->body) as $printed) {
                self::assertSame(DoctorReport::word(Status::Pass)." {$text->id}", $printed, $file);
            }
        }
    }

    /** @return list<string> the lines that "See that it worked" promises */
    private static function namedResults(string $body): array
    {
        preg_match_all('/must print\s+`(\w+ [A-Z]\d+)`/', $body, $printed);

        return $printed[1];
    }

    /** @return iterable<string, array{string}> */
    public static function damaged(): iterable
    {
        yield 'empty' => [''];
        yield 'no front matter' => ["# A fault\n\nRequests wait.\n"];
        yield 'a field is missing' => [str_replace("layer: nginx\n", '', self::TEXT)];
        yield 'a field too many' => [str_replace('minutes: 5', "minutes: 5\nslug: x", self::TEXT)];
        yield 'another id' => [str_replace('id: X1', 'id: X2', self::TEXT)];
        yield 'an unknown severity' => [str_replace('high', 'higher', self::TEXT)];
        yield 'an unknown layer' => [str_replace('nginx', 'apache', self::TEXT)];
        yield 'minutes that are not a number' => [str_replace('minutes: 5', 'minutes: some', self::TEXT)];
        yield 'no title' => [str_replace('# A fault', '', self::TEXT)];
        yield 'no text' => [(string) strstr(self::TEXT, "\n\nRequests", true)];
    }

    #[Test]
    #[DataProvider('damaged')]
    public function a_damaged_text_is_named(string $markdown): void
    {
        $directory = TemporaryDirectory::create('check-texts');
        $file = $directory->write('X1.md', $markdown);

        try {
            CheckText::fromFile($file);
            self::fail('It was read.');
        } catch (UnableToReadCheckText $e) {
            self::assertStringContainsString('X1.md', $e->getMessage());
        } finally {
            $directory->remove();
        }
    }

    #[Test]
    public function a_text_is_read_from_its_file(): void
    {
        $directory = TemporaryDirectory::create('check-texts');
        $text = CheckText::fromFile($directory->write('X1.md', self::TEXT));

        self::assertSame(['X1', 'A fault', 5], [$text->id, $text->title, $text->minutes]);
        self::assertSame(['https://nginx.org/'], $text->sources);
        self::assertStringStartsWith("# X1: A fault\n\nHigh, nginx, about 5 minutes to fix.\n\nReq", $text->markdown());
        $directory->remove();

        $this->expectException(UnableToReadCheckText::class);
        CheckText::fromFile($directory->file('X1.md'));
    }

    #[Test]
    public function a_text_has_a_consequence_and_an_advice(): void
    {
        $text = static fn (string $body): CheckText
            => new CheckText('X1', 'A fault', Severity::High, Layer::Nginx, $body);
        $whole = $text("Requests\nwait.\n\n## Why\n\nSo.\n\n## Fix\n\nSet `x`\nto 1.\n\nIt prints it.\n\n## Sources\n");
        $short = $text('Requests wait.');

        self::assertSame(['Requests wait.', 'Set `x` to 1.'], [$whole->consequence(), $whole->advice()]);
        self::assertSame(['Requests wait.', ''], [$short->consequence(), $short->advice()]);

        foreach (CheckList::ofPackage()->ids() as $id) {
            $own = CheckList::ofPackage()->text($id);
            self::assertStringEndsWith('.', $own->consequence(), $id);
            self::assertMatchesRegularExpression('/[.)]\z/', $own->advice(), $id);
            self::assertStringNotContainsString('prints the lines to change', $own->advice(), $id);
        }
    }

    #[Test]
    public function a_text_promises_changes_only_if_the_check_can_make_some(): void
    {
        $checks = CheckList::ofPackage();
        $promising = array_filter($checks->ids(), static fn (string $id): bool => str_contains(
            $checks->text($id)->body,
            'prints the lines to change',
        ));
        $empty = array_filter($promising, static fn (string $id): bool => preg_match(
            self::CHANGES,
            (string) file_get_contents((string) (new ReflectionClass($checks->check($id)))->getFileName()),
        ) !== 1);

        self::assertNotSame([], $promising);
        self::assertSame([], array_values($empty));
    }

    #[Test]
    public function unreadable_facts_are_unknown_with_a_command_and_absent_ones_are_skipped(): void
    {
        $facts = array_keys(FactProviders::ofThisMachine());

        foreach (CheckList::ofPackage()->ids() as $id) {
            $result = (new CheckRunner(Checks::only($id)))->run(new Facts(array_fill_keys(
                $facts,
                static fn (): object => throw FactUnavailable::because('not to be read', 'sudo tell'),
            )))->results[0];
            self::assertSame(
                [Status::Unknown, ['sudo tell']],
                [$result->finding->status, $result->finding->fix?->commands],
                $id,
            );

            $result = (new CheckRunner(Checks::only($id)))->run(new Facts(array_fill_keys(
                $facts,
                static fn (): object => throw NotApplicable::of('none here'),
            )))->results[0];
            self::assertSame(Status::Skipped, $result->finding->status, $id);
        }
    }

    /** @param class-string $class */
    private static function isCheck(string $class): bool
    {
        $interfaces = (new ReflectionClass($class))->getInterfaceNames();

        return array_intersect($interfaces, [Check::class, PoolCheck::class, RedisCheck::class, NginxCheck::class])
                !== []
            && ! in_array(CustomCheck::class, $interfaces, true);
    }
}
