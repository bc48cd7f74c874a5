<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\Runner\CheckList;
use Headroom\Process\Programs;
use Headroom\Tests\Acceptance\Doctor\Planted\Catalogue;
use Headroom\Tests\Acceptance\Doctor\Planted\Planting;
use Headroom\Tests\Acceptance\Doctor\Planted\WorkingFaults;
use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * `make planted-faults`, with one fault of each layer; the tests of the layers plant the others.
 */
final class PlantedSuiteTest extends TestCase
{
    #[Test]
    #[Group('proof')]
    public function a_fault_of_each_layer_is_found_and_its_fix_helps(): void
    {
        Needs::webStack();
        Needs::program('mariadbd', 'mariadb-server', 'mariadb');
        $alone = new Process(['unshare', '--pid', '--net', '--fork', '--mount-proc', 'true']);
        $alone->run() === 0
            || self::markTestSkipped(
                'This user may not have processes and a network of its own (unshare --pid --net), and the doctor would'
                    .' see other tests\' servers.',
            );

        $run = new Process(
            [
                Programs::php(),
                'dev/planted-faults.php',
                'N5 keepalive as the article',
                'L13 debugging',
                'no latency monitor',
                'D8 only',
            ],
            dirname(__DIR__, 3),
            timeout: 240,
        );
        $run->run();

        self::assertSame(1, preg_match('/^RESULT (\{.*\})\n\z/m', $run->getOutput(), $printed), $run->getErrorOutput());
        /** @var array<string, mixed> $result */
        $result = json_decode($printed[1], true, flags: JSON_THROW_ON_ERROR);
        self::assertSame([
            'planted' => 4, 'rules' => 4, 'found' => 4, 'fixed_by_text' => 4, 'fix_is_prose' => 0, 'near_misses' => 0,
            'near_misses_reported' => 0,
            'clean_stack_findings' => 0, 'false_alarms' => 0, 'application_served' => true, 'commands_left_out' => 0,
            'rules_not_planted' => [], 'not_as_it_should_be' => [],
        ], array_diff_key($result, ['seconds' => 0]), $run->getOutput());
        self::assertSame(0, $run->getExitCode());
    }

    #[Test]
    public function planted_faults_have_names_of_their_own(): void
    {
        $names = array_map(
            static fn (Planting $planting): string => $planting->name,
            [...Catalogue::faults(), ...Catalogue::nearMisses()],
        );

        self::assertSame(
            [],
            array_keys(array_filter(array_count_values($names), static fn (int $times): bool => $times > 1)),
        );
        self::assertGreaterThanOrEqual(70, count(Catalogue::faults()));
    }

    #[Test]
    public function each_rule_is_planted_or_it_is_said_why_it_is_not(): void
    {
        $planted = array_unique(array_map(
            static fn (Planting $planting): string => $planting->rule,
            Catalogue::faults(),
        ));
        $rules = CheckList::ofPackage()->ids();

        self::assertEqualsCanonicalizing(
            array_values(array_diff($rules, $planted)),
            array_keys(WorkingFaults::NOT_PLANTED),
        );
        self::assertSame([], array_diff($planted, $rules));
    }
}
