<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Uses;

use Headroom\Laravel\Facades\Buffer;
use Headroom\Spool\Append\Redaction;
use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Laravel\Support\OnWorkbench;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use Illuminate\Auth\GenericUser;
use Illuminate\Support\Facades\Auth;
use Illuminate\Support\Facades\Date;
use Illuminate\Support\Facades\DB;
use LogicException;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Workbench\App\Models\Activity;
use Workbench\App\Models\Document;

/**
 * docs/uses/activity-log.md
 */
final class ActivityLogTest extends TestCase
{
    private ?OnWorkbench $on = null;

    protected function tearDown(): void
    {
        Date::setTestNow();
        $this->on?->shut();
        $this->on = null;
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function an_activity_has_its_actor_its_model_and_the_values_before_and_after(
        WorkbenchDatabase $database,
    ): void {
        $on = $this->on($database);
        Auth::setUser(new GenericUser(['id' => 7]));
        Date::setTestNow('2026-05-06 07:00:00');
        $id = $this->created(['title' => 'Plan', 'body' => 'ü', 'share_token' => 'secret']);
        Date::setTestNow('2026-05-06 08:00:00');
        self::assertSame(
            200,
            $this->send('PUT', "/documents/{$id}", ['title' => 'Plan B'])->getStatusCode(),
            $on->workbench->log(),
        );
        Auth::setUser(new GenericUser(['id' => 8]));
        Date::setTestNow('2026-05-06 09:00:00');
        self::assertSame(204, $this->send('DELETE', "/documents/{$id}")->getStatusCode(), $on->workbench->log());
        self::assertSame(0, DB::table('activities')->count());
        Date::setTestNow('2026-05-06 10:00:00');
        $on->workbench->artisan('spool:flush', ['bucket' => 'activities']);

        $seen = [];

        foreach (DB::table('activities')->orderBy('happened_at')->get() as $row) {
            /** @var array<string, mixed> $columns */
            $columns = (array) $row;
            $seen[] = (new Activity)->newFromBuilder($columns)
                ->only(['actor_id', 'ip', 'action', 'subject_type', 'subject_id', 'old', 'new', 'happened_at']);
        }

        $of = ['ip' => '127.0.0.1', 'subject_type' => Document::class, 'subject_id' => (string) $id];

        self::assertEquals([
            [
                'actor_id' => 7,
                'action' => 'created',
                'old' => [],
                'new' => ['title' => 'Plan', 'body' => 'ü', 'id' => $id],
                'happened_at' => Date::parse('2026-05-06 07:00:00'),
                ...$of,
            ],
            [
                'actor_id' => 7,
                'action' => 'updated',
                'old' => ['title' => 'Plan'],
                'new' => ['title' => 'Plan B'],
                'happened_at' => Date::parse('2026-05-06 08:00:00'),
                ...$of,
            ],
            [
                'actor_id' => 8,
                'action' => 'deleted',
                'old' => ['title' => 'Plan B', 'body' => 'ü', 'id' => $id],
                'new' => [],
                'happened_at' => Date::parse('2026-05-06 09:00:00'),
                ...$of,
            ],
        ], $seen);
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function a_change_that_is_rolled_back_leaves_no_activity(WorkbenchDatabase $database): void
    {
        $on = $this->on($database);
        $id = $this->created(['title' => 'Plan']);

        self::assertSame(
            409,
            $this->send('PUT', "/documents/{$id}", ['title' => 'fail'])->getStatusCode(),
            $on->workbench->log(),
        );
        $on->workbench->artisan('spool:flush', ['bucket' => 'activities']);
        self::assertSame('Plan', DB::table('documents')->value('title'));
        self::assertSame(['created'], DB::table('activities')->pluck('action')->all());
    }

    #[Test]
    public function secrets_are_on_no_disk_and_hidden_attributes_are_not_logged(): void
    {
        $on = $this->on(WorkbenchDatabase::Sqlite);
        $this->created(['title' => 'Plan', 'share_token' => 'secret-4711']);
        Activity::buffer([
            'action' => 'shared',
            'subject_type' => Document::class,
            'subject_id' => '1',
            'old' => [],
            'new' => ['link' => ['share_token' => 'secret-4711']],
        ]);

        $files = glob("{$on->workbench->storage}/app/private/buffer/buckets/activities/*/*");
        self::assertIsArray($files);
        self::assertNotSame([], $files);

        foreach ($files as $file) {
            self::assertStringNotContainsString('secret-4711', (string) file_get_contents($file));
        }

        $on->workbench->artisan('spool:flush', ['bucket' => 'activities']);
        self::assertSame(
            ['link' => ['share_token' => Redaction::REPLACEMENT]],
            Activity::query()->where('action', 'shared')->first()?->getAttribute('new'),
        );
    }

    /** The code on the page, below the observer. */
    #[Test]
    public function an_activity_without_a_model_event_needs_no_values_before_and_after(): void
    {
        $on = $this->on(WorkbenchDatabase::Sqlite);
        $document = new Document;
        Activity::buffer([
            'actor_id' => Auth::id(),
            'ip' => request()->ip(),
            'action' => 'exported',
            'subject_type' => $document->getMorphClass(),
            'subject_id' => '5',
        ]);
        $on->workbench->artisan('spool:flush', ['bucket' => 'activities']);
        $activity = Activity::query()->first();

        self::assertSame(
            ['exported', '5', [], []],
            array_map(
                static fn (string $column): mixed => $activity?->getAttribute($column),
                ['action', 'subject_id', 'old', 'new'],
            ),
            $on->workbench->log(),
        );
    }

    #[Test]
    #[TestWith(['change'])]
    #[TestWith(['remove'])]
    public function an_activity_cannot_be_changed_or_removed(string $how): void
    {
        $on = $this->on(WorkbenchDatabase::Sqlite);
        $this->created(['title' => 'Plan']);
        $on->workbench->artisan('spool:flush', ['bucket' => 'activities']);
        $activity = Activity::query()->first();

        $this->expectException(LogicException::class);
        $how === 'change' ? $activity?->update(['actor_id' => 9]) : $activity?->delete();
    }

    #[Test]
    public function in_a_test_of_the_application_it_is_seen_at_once(): void
    {
        $this->on(WorkbenchDatabase::Sqlite);
        Buffer::fake();
        $this->created(['title' => 'Plan']);

        Buffer::assertBuffered(Activity::class, fn (array $activity): bool => $activity['action'] === 'created');
    }

    #[Test]
    public function the_code_on_the_page_is_the_workbenchs(): void
    {
        $page = Files::read('docs/uses/activity-log.md');
        self::assertStringContainsString(Snippet::of('workbench/app/Observers/LogsActivity.php', 'final class'), $page);
        self::assertStringContainsString(Snippet::of('workbench/app/Models/Activity.php', 'final class'), $page);
        UsePage::of('activity-log')->shows(['config/spool.php', "/^ +'activities' => \\[\n.*?^ +\\],$/ms"]);
    }

    private function on(WorkbenchDatabase $database): OnWorkbench
    {
        $this->on = $on = OnWorkbench::with($database);
        DB::table('activities')->delete();
        DB::table('documents')->delete();

        return $on;
    }

    /** @param array<string, string> $document */
    private function created(array $document): int
    {
        $response = $this->send('POST', '/documents', $document);
        self::assertSame(201, $response->getStatusCode(), (string) $this->on?->workbench->log());
        $id = DB::table('documents')->max('id');

        return is_numeric($id) ? (int) $id : 0;
    }

    /** @param array<string, string> $body */
    private function send(string $method, string $uri, array $body = []): Response
    {
        self::assertNotNull($this->on);

        return $this->on->workbench->send(Request::create(
            $uri,
            $method,
            server: ['CONTENT_TYPE' => 'application/json', 'HTTP_ACCEPT' => 'application/json'],
            content: json_encode($body, JSON_THROW_ON_ERROR),
        ));
    }
}
