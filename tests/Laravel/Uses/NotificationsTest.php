<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Uses;

use Headroom\Laravel\Notifications\BufferedDatabase;
use Headroom\Laravel\Notifications\NotBufferable;
use Headroom\Tests\Laravel\WorkbenchApplication;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use Illuminate\Database\Eloquent\Relations\Relation;
use Illuminate\Notifications\AnonymousNotifiable;
use Illuminate\Notifications\DatabaseNotification;
use Illuminate\Notifications\Events\NotificationSent;
use Illuminate\Support\Carbon;
use Illuminate\Support\Facades\Event;
use Illuminate\Support\Facades\Notification;
use Illuminate\Support\Facades\Schema;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Workbench\App\Models\Member;
use Workbench\App\Notifications\InvoicePaid;

/**
 * docs/uses/notifications.md
 */
final class NotificationsTest extends TestCase
{
    private ?WorkbenchApplication $workbench = null;

    protected function tearDown(): void
    {
        Carbon::setTestNow();
        Relation::morphMap([], false);
        $this->workbench?->shut();
        $this->workbench = null;
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function a_row_equals_that_of_the_database_channel_in_each_column(WorkbenchDatabase $database): void
    {
        $this->workbenchOn($database);
        Carbon::setTestNow('2026-03-01 12:00:00.654321');
        $member = Member::query()->create(['name' => 'Ada', 'locale' => 'de']);
        $synchronous = $this->sent($member, 'database');
        DatabaseNotification::query()->delete();
        self::assertSame(
            [],
            $this->sent($member, BufferedDatabase::class),
            'A buffered one is not in the table before a flush.',
        );

        // The moment that counts is the one at which it was buffered.
        Carbon::setTestNow('2026-03-01 13:00:00');
        $this->flush();

        self::assertSame($synchronous, $this->rows());
        self::assertCount(3, $synchronous);
        self::assertSame(
            ['id', 'type', 'notifiable_type', 'notifiable_id', 'data', 'read_at', 'created_at', 'updated_at'],
            array_keys($synchronous[0]),
        );
        self::assertSame(
            [2, 1],
            [$member->unreadNotifications()->get()->count(), $member->readNotifications()->get()->count()],
        );
        $first = $member->notifications()->get()->sortBy('id')->first();
        self::assertInstanceOf(DatabaseNotification::class, $first);
        self::assertSame('de', ((array) $first->getAttribute('data'))['locale'] ?? null);
        self::assertTrue($member->is($first->notifiable()->getResults()));
    }

    #[Test]
    public function a_custom_morph_name_arrives_as_it_was_when_it_was_buffered(): void
    {
        $this->workbenchOn(WorkbenchDatabase::Sqlite);
        Relation::morphMap(['member' => Member::class]);
        $member = Member::query()->create(['name' => 'Ada']);
        $member->notify(new InvoicePaid(1, 2.5));
        $this->flush();

        self::assertSame(['member'], array_column($this->rows(), 'notifiable_type'));
        self::assertSame([1], $member->notifications()->get()->pluck('data.invoice')->all());
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function a_member_reads_the_notification_of_a_request_after_a_flush(WorkbenchDatabase $database): void
    {
        $workbench = $this->workbenchOn($database);
        $member = Member::query()->create(['name' => 'Ada']);
        $id = $member->getKey();
        self::assertIsInt($id);

        self::assertSame(
            202,
            $workbench->postJson("/members/{$id}/invoices", ['invoice' => 7, 'amount' => 12.5])->getStatusCode(),
            $workbench->log(),
        );
        self::assertSame([], $this->told($workbench, $id));
        $this->flush();
        self::assertEqualsCanonicalizing(
            [['invoice' => 7, 'amount' => 12.5, 'text' => 'Invoice 7 is paid.']],
            $this->told($workbench, $id),
        );
    }

    #[Test]
    public function a_table_that_is_gone_for_a_while_loses_and_doubles_nothing(): void
    {
        $workbench = $this->workbenchOn(WorkbenchDatabase::Sqlite);
        $member = Member::query()->create(['name' => 'Ada']);
        $member->notify(new InvoicePaid(1, 2.5));
        Schema::rename('notifications', 'aside');

        try {
            $this->flush();
            self::fail('There was no table.');
        } catch (RuntimeException $e) {
            self::assertStringContainsString('notifications', $e->getMessage());
        }

        Schema::rename('aside', 'notifications');
        $workbench->artisan('spool:flush', ['bucket' => 'notifications', '--now' => true]);
        $this->flush();
        self::assertCount(1, $this->rows());
    }

    #[Test]
    public function one_notification_to_many_is_one_write_with_an_id_for_each(): void
    {
        $workbench = $this->workbenchOn(WorkbenchDatabase::Sqlite);
        $members = array_map(
            static fn (int $n): Member => Member::query()->create(['name' => "Member {$n}"]),
            range(1, 30),
        );
        $this->channel()->together(fn () => Notification::send($members, new InvoicePaid(1, 2.5)));

        // A file begins with a frame of its own.
        self::assertStringContainsString(
            'frames":2,',
            str_replace(' ', '', $workbench->artisan('spool:verify', ['bucket' => 'notifications', '--json' => true])),
        );
        $this->flush();
        self::assertCount(
            30,
            array_flip(array_map(
                static fn (array $row): string => is_string($row['id']) ? $row['id'] : '',
                $this->rows(),
            )),
        );
        self::assertSame(range(1, 30), $this->notified());
    }

    #[Test]
    public function an_exception_within_together_buffers_none_of_them_and_later_ones_arrive(): void
    {
        $this->workbenchOn(WorkbenchDatabase::Sqlite);
        $member = Member::query()->create(['name' => 'Ada']);

        try {
            $this->channel()->together(function () use ($member): void {
                $member->notify(new InvoicePaid(1, 2.5));

                $this->breakDown();
            });
            self::fail('It was swallowed.');
        } catch (RuntimeException $e) {
            self::assertSame('not today', $e->getMessage());
        }

        $member->notify(new InvoicePaid(2, 2.5));
        $this->channel()->together(static fn (): null => null);
        $this->flush();
        self::assertSame([2], DatabaseNotification::query()->get()->pluck('data.invoice')->all());
    }

    #[Test]
    public function listeners_get_the_future_row_when_a_notification_is_buffered(): void
    {
        $this->workbenchOn(WorkbenchDatabase::Sqlite);
        $heard = [];
        Event::listen(NotificationSent::class, function (NotificationSent $sent) use (&$heard): void {
            self::assertInstanceOf(DatabaseNotification::class, $sent->response);
            $heard[] = [$sent->channel, $sent->response->exists, $sent->response->getKey()];
        });
        Member::query()->create(['name' => 'Ada'])->notify(new InvoicePaid(1, 2.5));
        $this->flush();

        self::assertSame([[BufferedDatabase::class, false, $this->rows()[0]['id'] ?? null]], $heard);
    }

    #[Test]
    public function a_notifiable_without_a_table_of_notifications_is_refused(): void
    {
        $this->workbenchOn(WorkbenchDatabase::Sqlite);
        $this->expectExceptionObject(NotBufferable::noTable(InvoicePaid::class, AnonymousNotifiable::class, 'null'));
        Notification::route('mail', 'ada@example.org')->notify(new InvoicePaid(1, 2.5));
    }

    #[Test]
    public function the_page_shows_the_code_of_the_workbench(): void
    {
        UsePage::of('notifications')->shows(
            ['config/spool.php', "/^ +'notifications' => .*$/m"],
            ['app/Notifications/InvoicePaid.php', '/^    public function via.*?^    }$/ms'],
        );
    }

    /**
     * One by databaseType() and one by its class, one that is read already.
     *
     * @return list<array<string, mixed>>
     */
    private function sent(Member $member, string $channel): array
    {
        foreach ([[true, null], [false, null], [false, Carbon::parse('2026-02-03 04:05:06')]] as $n => [
            $isPlain, $readAt,
        ]) {
            $notification = new Told([$channel], $isPlain, $readAt);
            $notification->id = sprintf('00000000-0000-4000-8000-%012d', $n + 1);
            $member->notify($notification);
        }

        return $this->rows();
    }

    private function told(WorkbenchApplication $workbench, int $member): mixed
    {
        return json_decode((string) $workbench->get("/members/{$member}/notifications")->getContent(), true);
    }

    private function breakDown(): void
    {
        throw new RuntimeException('not today');
    }

    private function channel(): BufferedDatabase
    {
        $channel = Notification::channel(BufferedDatabase::class);
        self::assertInstanceOf(BufferedDatabase::class, $channel);

        return $channel;
    }

    /** @return list<int> */
    private function notified(): array
    {
        $ids = array_map(
            static fn (array $row): int => is_numeric($row['notifiable_id']) ? (int) $row['notifiable_id'] : 0,
            $this->rows(),
        );
        sort($ids);

        return $ids;
    }

    private function flush(): void
    {
        $this->workbench?->artisan('spool:flush', ['bucket' => 'notifications']);
    }

    /** @return list<array<string, mixed>> */
    private function rows(): array
    {
        /** @var list<array<string, mixed>> $rows */
        $rows = DatabaseNotification::query()
            ->toBase()
            ->orderBy('id')
            ->get()
            ->map(static fn (object $row): array => get_object_vars($row))
            ->all();

        return $rows;
    }

    private function workbenchOn(WorkbenchDatabase $database): WorkbenchApplication
    {
        return $this->workbench = WorkbenchApplication::boot($database->environment())->migrate();
    }
}
