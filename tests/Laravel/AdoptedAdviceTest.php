<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Outcome;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * The commands that spool:adopt prints about another machine's buffer, copied into a shell as printed.
 */
final class AdoptedAdviceTest extends ApplicationTestCase
{
    private string $other;

    protected function setUp(): void
    {
        parent::setUp();
        $this->app->config(
            'spool',
            "['buckets' => ['api-events' => ['sink' => 'database', 'table' => 'api_events']], 'heartbeats' => false]"
                ." + require '"
                .dirname(__DIR__, 2)."/config/spool.php'",
        );
        $this->app->write('routes/console.php', <<<'PHP'
            <?php

            Illuminate\Support\Facades\Artisan::command('app:add {event}', fn (string $event) => Headroom\Laravel\Facades\Buffer::bucket('api-events')->add(['event' => $event]));
            PHP);
        $this->app->migrate();
        $this->other = $this->app->path("the other's buffer");
        $this->own('app:add mine');
        $this->there('app:add before');
        $this->there('spool:flush');
    }

    #[Test, Group('day-1')]
    #[TestWith([false])]
    #[TestWith([true])]
    public function it_acts_on_a_forked_buffer_and_not_on_the_own_one(bool $isCached): void
    {
        $this->app->run(['cp', '-a', $this->other, "{$this->other}.snapshot"]);
        $this->there('app:add lost');
        $this->there('spool:flush');
        $this->app->run(['rm', '-r', $this->other]);
        rename("{$this->other}.snapshot", $this->other);
        $this->there('app:add kept');

        $this->follows($isCached, 'spool:new-id', ' --all', ['before', 'kept', 'lost']);
    }

    #[Test, Group('day-2')]
    #[TestWith([false])]
    #[TestWith([true])]
    public function it_acts_on_a_buffer_that_the_ledger_does_not_know(bool $isCached): void
    {
        $this->app->execute('delete from spool_ledger');
        $this->there('app:add kept');

        $this->follows($isCached, 'spool:replay api-events --from-now', '', ['before', 'kept']);
    }

    /** @param list<string> $events in the table at last */
    private function follows(bool $isCached, string $advice, string $option, array $events): void
    {
        if ($isCached) {
            $this->own('config:cache');
        }

        $node = $this->app->read('storage/app/private/buffer/node');
        $adopted = $this->app->artisan('spool:adopt', $this->other, '--force');
        self::assertSame(1, $adopted->exit);
        self::assertSame(1, preg_match("/`([^`]*{$advice})/", $adopted->all(), $m), $adopted->all());

        $followed = $this->app->run(['sh', '-c', strtr($m[1], ['php artisan' => Programs::php().' artisan']).$option]);
        self::assertSame(0, $followed->exit, $followed->all());
        self::assertSame($node, $this->app->read('storage/app/private/buffer/node'));
        self::assertSame(0, $this->app->artisan('spool:adopt', $this->other, '--force')->exit);
        self::assertSame(
            $events,
            array_column($this->app->rows('select event from api_events order by event'), 'event'),
        );
        self::assertStringContainsString($m[1], $this->app->log());

        $this->own('spool:flush');
        self::assertContains(['event' => 'mine'], $this->app->rows('select event from api_events'));
    }

    private function own(string $command): Outcome
    {
        return $this->app->artisan(...explode(' ', $command));
    }

    private function there(string $command): Outcome
    {
        return $this->app->run([Programs::php(), 'artisan', ...explode(' ', $command)], ['SPOOL_PATH' => $this->other]);
    }
}
