<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Headroom\Host\WebStack;
use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The pages are what they are said to be, and each trap among them is one: with a list made without care it answers
 * something else.
 */
final class PagesTest extends TestCase
{
    protected function setUp(): void
    {
        Needs::webStack();
        @unlink(Release::shared()->path('storage/logs/laravel.log'));
    }

    #[Test, Group('day-3')]
    public function every_page_gives_its_expected_answer_each_time(): void
    {
        $answers = Pages::answers(Release::shared()->web());

        foreach (Pages::all() as $page) {
            [$status, $part] = Pages::expected($page);
            $first = $answers[$page->name()][0];
            self::assertSame($status, $first[0], "{$page->name()}: {$first[1]}\n".self::log());
            self::assertStringContainsString($part, $first[1], $page->name());
            self::assertSame([$first, $first, $first], $answers[$page->name()]);
        }

        self::assertSame('', self::log());
    }

    #[Test, Group('day-2')]
    public function the_token_of_the_form_is_another_for_each_visitor(): void
    {
        $stack = WebStack::start(Release::shared()->web());
        $tokens = [];

        foreach ([1, 2] as $visitor) {
            self::assertSame(
                1,
                preg_match(
                    '/name="_token" value="([A-Za-z0-9]{40})"/',
                    (string) file_get_contents("{$stack->url()}/pages/blade"),
                    $match,
                ),
                "Visitor {$visitor} saw no token.",
            );
            $tokens[] = $match[1];
        }

        $stack->stop();
        self::assertCount(2, array_unique($tokens));
    }

    #[Test]
    #[Group('proof')]
    public function application_and_framework_compiled_without_care_break_three_pages_and_no_other(): void
    {
        $release = Release::shared();
        $plain = Pages::answers($release->web());

        $preloaded = Pages::answers(NaiveList::of($release, 'app', 'vendor/laravel/framework/src'));

        self::assertSame(
            ['GET /pages/alias', 'GET /pages/impure-parent', 'GET /pages/trap'],
            self::changed($plain, $preloaded),
        );
        self::assertSame([500, 500, 500], array_column($preloaded['GET /pages/alias'], 0));
        self::assertStringContainsString(
            'must be of type Workbench\App\Pricing\Amount, Workbench\App\Legacy\Money given',
            self::log(),
        );
        self::assertSame([500, 500, 500], array_column($preloaded['GET /pages/impure-parent'], 0));
        self::assertStringContainsString(
            'Undefined constant "Workbench\App\Reports\WORKBENCH_REPORT_COLUMNS"',
            self::log(),
        );
        // No error tells of this one.
        self::assertSame([200, '{"total":4711,"audit":[]}'], $preloaded['GET /pages/trap'][0]);
    }

    #[Test, Group('day-2')]
    public function one_pure_class_that_others_ask_for_changes_a_page(): void
    {
        $release = Release::shared();
        $plain = Pages::answers($release->web());

        $preloaded = Pages::answers(NaiveList::of($release, 'app/Audit/AuditTrail.php'));

        self::assertSame(['GET /pages/trap'], self::changed($plain, $preloaded));
    }

    #[Test]
    #[Group('proof')]
    public function an_anonymous_class_without_its_parent_breaks_from_the_second_request_on(): void
    {
        $release = Release::shared();
        $plain = Pages::answers($release->web());

        $preloaded = Pages::answers(NaiveList::of($release, 'app/Shapes/Shapes.php'));

        self::assertSame(['GET /pages/anonymous'], self::changed($plain, $preloaded));
        self::assertSame([200, 500, 500], array_column($preloaded['GET /pages/anonymous'], 0));
        self::assertStringContainsString('Shapes::square(): Return value must be of type', self::log());
    }

    /**
     * @param array<string, list<array{int, string}>> $plain
     * @param array<string, list<array{int, string}>> $preloaded
     * @return list<string> pages of which an answer is another
     */
    private static function changed(array $plain, array $preloaded): array
    {
        return array_keys(array_filter(
            $plain,
            static fn (array $answers, string $page): bool => $answers !== $preloaded[$page],
            ARRAY_FILTER_USE_BOTH,
        ));
    }

    private static function log(): string
    {
        // Escaped in JSON, as the trace is.
        return str_replace(
            ['\\\\', '\\"'],
            ['\\', '"'],
            (string) @file_get_contents(Release::shared()->path('storage/logs/laravel.log')),
        );
    }
}
