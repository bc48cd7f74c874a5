<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Spool\Alerts\AlertRules;
use Headroom\Tests\Laravel\Support\AlertsTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * Other machines, as the table of nodes shows them: of many that see a silent one, one reports it.
 */
final class AlertNodesTest extends AlertsTestCase
{
    private const FIRST = '00000000000000000000000000000001';

    private const LAST = 'ffffffffffffffffffffffffffffffff';

    protected function setUp(): void
    {
        parent::setUp();
        $this->spool->createNodes();
        $this->spool->add(1);
        $this->flush();
    }

    private function beat(string $node, int $secondsAgo, int $pending = 0, string $machine = 'm'): void
    {
        $this->spool->database()->table('spool_nodes')->updateOrInsert(['node' => $node, 'machine' => $machine], [
            'host' => "host-{$node[0]}",
            'pid' => 7,
            'path' => '/var/spool',
            'since' => gmdate('Y-m-d H:i:s', time() - 86_400),
            'last_seen' => gmdate('Y-m-d H:i:s', time() - $secondsAgo),
            'pending' => $pending,
            'dead' => 0,
            'dropped' => 0,
            'troubled' => 0,
            'buckets' => json_encode(['b' => ['pending' => $pending, 'dead' => 0, 'dropped' => 0]]),
        ]);
    }

    /** @return array<string, ?string> of the check that sees it for the fourth minute */
    private function checkLater(): array
    {
        self::assertSame([], $this->check(), 'It may report within three minutes.');
        $this->pass(180);

        return $this->check();
    }

    #[Test]
    public function after_an_outage_of_the_database_or_maintenance_no_node_is_silent(): void
    {
        $own = $this->spool->runtime()->store()->node();
        $this->spool->database()->table('spool_nodes')->update(['last_seen' => '2020-01-01 00:00:00']);
        $this->beat(self::FIRST, 400);
        $this->check();
        $this->pass(60);
        $machine = $this->spool->database()->table('spool_nodes')->where('node', $own)->value('machine');
        self::assertIsString($machine);
        $this->beat($own, 0, machine: $machine);
        $this->check();
        $this->pass(60);
        $this->beat(self::FIRST, 0);
        $this->check();
        self::assertSame([], $this->subjects());
    }

    #[Test]
    public function the_live_node_with_the_smallest_id_reports_the_silent_one(): void
    {
        $this->beat(self::FIRST, 10);
        $this->beat(self::LAST, 400, 3);
        self::assertSame([], $this->check(), 'The first one does it.');

        $this->beat(self::FIRST, 500);
        self::assertSame(['mail' => null], $this->checkLater());
        [$mail] = $this->mails();
        $text = (string) $mail->getTextBody();
        self::assertStringContainsString('A node is silent', (string) $mail->getSubject());
        self::assertStringContainsString('host-f was last seen', $text);
        self::assertStringContainsString('3 events waiting', $text);
        self::assertStringContainsString('host-0 was last seen', $text);
        self::assertStringContainsString('php artisan spool:forget-node '.self::LAST.' --force', $text);

        $this->beat(self::LAST, 10);
        self::assertSame([], $this->check());
        $this->beat(self::FIRST, 10);
        self::assertSame(['mail' => null], $this->check());
        self::assertSame(['All well again'], $this->subjects());
    }

    #[Test]
    public function a_node_that_was_removed_on_purpose_is_over_when_it_is_forgotten(): void
    {
        $this->beat(self::LAST, 400);
        $this->checkLater();
        self::assertSame(['A node is silent'], $this->subjects());
        $this->pass(86_400);
        self::assertSame([], $this->check());

        $this->spool->database()->table('spool_nodes')->where('node', self::LAST)->delete();
        $this->check();
        self::assertSame(['All well again'], $this->subjects());
    }

    #[Test]
    public function a_table_that_cannot_be_read_ends_nothing(): void
    {
        $this->beat(self::LAST, 400);
        $this->checkLater();
        self::assertSame(['A node is silent'], $this->subjects());

        $this->spool->database()->table('spool_nodes')->update(['last_seen' => 'no time']);
        self::assertSame([], $this->check());
        $this->beat($this->spool->runtime()->store()->node(), 1, machine: 'own');
        $this->spool->database()->table('spool_nodes')->where('machine', '<>', 'own')->delete();
        $this->beat(self::LAST, 400);
        self::assertSame([], $this->check());
    }

    #[Test]
    public function two_machines_with_one_id_are_a_fork(): void
    {
        $own = $this->spool->runtime()->store()->node();
        $this->spool->database()->table('spool_nodes')->update(['since' => '2020-01-01 00:00:00']);
        $this->beat($own, 1, machine: 'twin');
        $this->check();
        [$mail] = $this->mails();

        self::assertStringContainsString('A disk was copied or restored', (string) $mail->getSubject());
        self::assertStringContainsString('php artisan spool:new-id', (string) $mail->getTextBody());
    }

    #[Test]
    public function each_node_sees_all_alerts_and_one_reports_them(): void
    {
        $reporters = [];

        foreach (['a', 'b', 'c'] as $letter) {
            $this->beat(str_repeat($letter, 32), 5);
        }

        $this->beat(str_repeat('d', 32), 900);
        $this->spool->database()->table('spool_nodes')->whereNotIn('host', ['host-a', 'host-b', 'host-c', 'host-d'])
            ->delete();

        foreach (['a', 'b', 'c', 'd'] as $letter) {
            file_put_contents("{$this->spool->path}/node", str_repeat($letter, 32));
            $spool = $this->spool->runtime($this->clock);
            $rules = new AlertRules($spool);
            $nodes = $spool->nodes()?->all() ?? [];
            self::assertCount(1, $rules->ofNodes($nodes));
            $reporters[] = $rules->reportsNodes($nodes) ? $letter : null;
        }

        self::assertSame(['a'], array_values(array_filter($reporters)));
    }
}
