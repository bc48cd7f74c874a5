<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor;

use FilesystemIterator;
use Headroom\Console\Doctor\Probes;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Rule;
use Headroom\Doctor\RulePages;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Status;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

final class RulePagesTest extends TestCase
{
    private const ROOT = __DIR__.'/../../..';

    #[Test]
    public function docs_checks_is_generated_from_the_checks(): void
    {
        $files = RulePages::of(CheckList::all())->files();

        foreach ($files as $name => $text) {
            self::assertSame(
                $text,
                @file_get_contents(self::ROOT."/docs/checks/{$name}"),
                "docs/checks/{$name} is not what its check says: php dev/checks.php writes it.",
            );
        }

        self::assertEqualsCanonicalizing(
            array_keys($files),
            array_map(
                static fn (string $file): string => basename($file),
                array_map(strval(...), (array) glob(self::ROOT.'/docs/checks/*')),
            ),
        );
    }

    #[Test]
    public function every_check_that_there_is_is_asked(): void
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

            if (is_subclass_of($class, Check::class)) {
                $written[] = $class;
            }
        }

        $asked = array_map(static fn (Check $check): string => $check::class, CheckList::all());

        self::assertEqualsCanonicalizing($written, $asked);
    }

    #[Test]
    public function each_rule_has_a_number_of_its_own_and_links_to_sources(): void
    {
        $rules = array_map(static fn (Check $check): Rule => $check->rule(), CheckList::all());
        $ids = array_map(static fn (Rule $rule): string => $rule->id, $rules);

        self::assertSame(array_values(array_unique($ids)), $ids);

        foreach ($rules as $rule) {
            self::assertMatchesRegularExpression('/\A[A-Z]\d{1,2}\z/', $rule->id);
            self::assertMatchesRegularExpression('/[.]\z/', $rule->why);
            self::assertMatchesRegularExpression('/[.]\z/', $rule->fires);
            self::assertDoesNotMatchRegularExpression('/[.]\z/', $rule->title);

            foreach ($rule->sources as $source) {
                self::assertMatchesRegularExpression('~\Ahttps://[^\s]+\z~', $source);
            }
        }
    }

    #[Test]
    public function unreadable_facts_are_unknown_with_a_command_and_absent_ones_are_skipped(): void
    {
        $facts = array_keys(Probes::ofThisMachine());

        foreach (CheckList::all() as $check) {
            $verdict = (new CheckRunner([$check]))->of(new Facts(array_fill_keys(
                $facts,
                static fn (): object => throw FactUnavailable::because('not to be read', 'sudo tell'),
            )))->verdicts[0];
            self::assertSame(
                [Status::Unknown, ['sudo tell']],
                [$verdict->finding->status, $verdict->finding->fix?->commands],
                $check->rule()->id,
            );

            $verdict = (new CheckRunner([$check]))->of(new Facts(array_fill_keys(
                $facts,
                static fn (): object => throw NotApplicable::of('none here'),
            )))->verdicts[0];
            self::assertSame(Status::Skipped, $verdict->finding->status, $check->rule()->id);
        }
    }
}
