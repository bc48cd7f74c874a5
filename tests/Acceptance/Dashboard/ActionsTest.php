<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Dashboard;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Every action asks, names what it does to how many, and tells how it ended.
 */
final class ActionsTest extends TestCase
{
    private const ALL = 'section > .actions.act';

    #[Test]
    public function a_cancelled_question_sends_nothing_and_the_focus_returns(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => '37 of 37'], ['focus' => self::ALL.' button >> nth=1'], ['press' => 'Enter'],
            ['await' => 'dialog[open]'], ['see' => 'asked'], ['press' => 'Escape'], ['gone' => 'dialog[open]'],
            ['see' => 'cancelled'], ['press' => 'Enter'], ['await' => 'dialog[open]'], ['press' => 'Enter'],
            ['gone' => 'dialog[open]'],
        ], at: '#/dead');
        ['asked' => $asked, 'cancelled' => $cancelled] = $seen['states'];

        self::assertStringContainsString('Forget 37 dead letters of bucket api-events?', (string) $asked['dialog']);
        self::assertStringContainsString('This cannot be undone.', (string) $asked['dialog']);
        self::assertSame(['button Cancel', 'button Forget'], [$asked['focus'], $cancelled['focus']]);
        self::assertSame([], DashboardBrowser::requests($seen, 'actions/'));
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function many_letters_are_retried_in_steps_with_the_csrf_token(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => '37 of 37'], ['click' => self::ALL.' button >> nth=0'], ['click' => 'dialog button.main'],
            ['text' => 'Retried 37 dead letters of bucket api-events.'], ['text' => 'No dead letters.'],
            ['see' => 'done'], ['focus' => '#result button'], ['press' => 'Enter'], ['gone' => '#result'],
            ['see' => 'dismissed'],
        ], at: '#/dead');
        $requests = DashboardBrowser::requests($seen, 'actions/retry');

        // The buttons that had the focus are gone.
        self::assertSame(
            ['h1 Dead letters', 'h1 Dead letters'],
            [$seen['states']['done']['focus'], $seen['states']['dismissed']['focus']],
        );

        self::assertSame(['POST', 'POST', 'POST'], array_column($requests, 'method'));
        self::assertSame(['csrf-1', 'csrf-1', 'csrf-1'], array_column($requests, 'csrf'));
        self::assertSame('session=s1', $requests[0]['cookie']);
        self::assertSame(
            [['bucket' => 'api-events', 'all' => true], ['bucket' => 'api-events', 'all' => true, 'after' => 'next']],
            array_slice(array_column($requests, 'body'), 0, 2),
        );
        self::assertNull($seen['states']['done']['dialog']);
        self::assertContains('Retried 37 dead letters of bucket api-events.', $seen['states']['done']['announced']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function a_kind_of_which_not_all_letters_are_counted_is_named_so(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => '37 of 37'], ['see' => 'kinds'], ['click' => 'td.act button.danger'],
            ['await' => 'dialog[open]'], ['see' => 'asked'],
        ], ['complete' => false], at: '#/dead');
        ['kinds' => $kinds, 'asked' => $asked] = $seen['states'];

        self::assertStringStartsWith('at least ', $kinds['tables']['Kinds of dead letters'][0][1]);
        self::assertMatchesRegularExpression('/\AForget at least \d+ dead letters/', (string) $asked['dialog']);
        self::assertContains('Forget all', $asked['buttons']);
    }

    #[Test]
    public function one_letter_and_a_kind_are_named_in_the_question_and_in_the_request(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => '37 of 37'], ['click' => 'button.unfold'], ['click' => 'td.below button.danger'],
            ['await' => 'dialog[open]'], ['see' => 'one'], ['click' => 'dialog button.danger'],
            ['text' => 'Forgot 1 dead letter of bucket api-events.'],
            ['click' => 'td.act button >> nth=3'], ['await' => 'dialog[open]'], ['see' => 'kind'],
            ['click' => 'dialog button.main'], ['text' => 'Retried 7 dead letters'],
        ], at: '#/dead');
        ['one' => $one, 'kind' => $kind] = $seen['states'];
        $bodies = array_column(DashboardBrowser::requests($seen, 'actions/'), 'body');

        self::assertStringContainsString('Forget 1 dead letter of bucket api-events?', (string) $one['dialog']);
        self::assertStringContainsString('/api-events/0', (string) $one['dialog']);
        self::assertStringContainsString('Retry 7 dead letters of bucket api-events?', (string) $kind['dialog']);
        self::assertStringContainsString("Column 'user_id' cannot be null", (string) $kind['dialog']);
        self::assertSame(
            [
                ['bucket' => 'api-events', 'ids' => ['00000000000000000000-00000000-00000']],
                ['bucket' => 'api-events', 'kind' => '9bc2'],
            ],
            $bodies,
        );
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function an_export_is_saved_as_a_file_of_lines(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => '37 of 37'], ['click' => self::ALL.' button >> nth=2'], ['click' => 'dialog button.main'],
            ['text' => 'Exported 37 dead letters of bucket api-events.'], ['pause' => 1],
        ], at: '#/dead');

        self::assertSame([['name' => 'dead-letters-api-events.ndjson', 'lines' => 37]], $seen['downloads']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function a_bucket_is_paused_with_a_reason_and_resumed(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => 'max_bytes'], ['click' => 'button.act >> text=Pause'],
            ['fill' => 'dialog input', 'with' => 'migration'],
            ['press' => 'Enter'], ['await' => 'button.act >> text=Resume'], ['see' => 'paused'],
            ['click' => 'button.act >> text=Resume'], ['click' => 'dialog button.main'],
            ['await' => 'button.act >> text=Pause'],
        ], at: '#/buckets/activity');

        self::assertSame(
            [
                ['actions/pause', ['bucket' => 'activity', 'reason' => 'migration']],
                ['actions/resume', ['bucket' => 'activity']],
            ],
            array_map(
                static fn (array $one): array => [$one['path'], $one['body']],
                DashboardBrowser::requests($seen, 'actions/'),
            ),
        );
        self::assertStringContainsString('paused', $seen['states']['paused']['text']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function the_doctor_runs_and_the_page_says_so(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => 'keepalive'], ['click' => 'text=Run the doctor'], ['click' => 'dialog button.main'],
            ['text' => 'The doctor runs'], ['see' => 'running'], ['server' => ['doctor' => null]],
            ['text' => 'Run the doctor'], ['see' => 'done'],
        ], at: '#/machine');

        self::assertStringContainsString('It runs since', $seen['states']['running']['text']);
        self::assertStringContainsString('keepalive', $seen['states']['done']['text']);
        self::assertSame('actions/doctor', DashboardBrowser::requests($seen, 'actions/')[0]['path']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function a_session_that_has_ended_is_renewed_once(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => '37 of 37'], ['server' => ['csrf' => 'csrf-2']], ['click' => 'td.act button >> nth=3'],
            ['click' => 'dialog button.main'], ['text' => 'Retried 7 dead letters'],
        ], at: '#/dead');

        self::assertSame(
            ['csrf-1', 'csrf-2'],
            array_column(DashboardBrowser::requests($seen, 'actions/retry'), 'csrf'),
        );
        self::assertCount(1, DashboardBrowser::requests($seen, 'token'));
    }

    #[Test]
    #[TestWith([403, 'The action is refused. You have no right to change a bucket.'])]
    #[TestWith([503, 'The action is refused.'])]
    public function a_refused_action_is_told_in_the_question(int $status, string $words): void
    {
        $seen = DashboardBrowser::look([
            ['text' => '37 of 37'], ['click' => 'td.act button >> nth=0'], ['click' => 'dialog button.main'],
            ['text' => $words], ['see' => 'refused'], ['press' => 'Escape'], ['gone' => 'dialog[open]'],
            ['see' => 'closed'],
        ], ['action' => $status], '#/dead');

        self::assertStringContainsString('Close', (string) $seen['states']['refused']['dialog']);
        self::assertNull($seen['states']['closed']['result']);
    }

    #[Test]
    #[TestWith(['bucket']), TestWith(['dead']), TestWith(['machine'])]
    public function without_the_right_no_action_is_shown(string $view): void
    {
        [$fragment, $text] = DashboardBrowser::VIEWS[$view];
        $steps = [['text' => $text], ...($view === 'dead' ? [['click' => 'button.unfold']] : []), ['see' => 'view']];
        $seen = DashboardBrowser::look($steps, ['manage' => false], $fragment);

        self::assertSame([], array_intersect(
            ['Pause', 'Resume', 'Retry', 'Forget', 'Export', 'Run the doctor'],
            $seen['states']['view']['buttons'],
        ));
    }
}
