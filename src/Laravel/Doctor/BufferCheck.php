<?php

declare(strict_types=1);

namespace Headroom\Laravel\Doctor;

use Headroom\Core\Finding as Found;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * The health checks of the buffer as checks of the doctor: B1 has the fatal findings, B2 the notes.
 *
 * @internal
 */
final readonly class BufferCheck implements Check
{
    private const COMMAND = 'php artisan spool:health';

    private function __construct(private Rule $rule, private bool $isFatal, private string $consequence) {}

    /** @return list<Check> */
    public static function all(): array
    {
        $sources = [
            'https://laravel.com/docs/scheduling#running-the-scheduler',
            'https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/',
        ];

        return [
            new self(new Rule(
                'B1',
                'The buffer cannot accept or deliver events',
                Severity::Critical,
                Layer::Buffer,
                'Requests append events to the buffer, and a flusher delivers them. A directory that a user may not '
                    .'write to, a missing table or a flusher that does not run stops one of the two.',
                '`php artisan spool:health` prints FAIL. The check has the permissions of the user that runs the'
                    .' doctor.',
                $sources,
            ), true, 'Events are refused, lost or not delivered.'),
            new self(new Rule(
                'B2',
                'A setting or a state of the buffer needs your decision',
                Severity::Low,
                Layer::Buffer,
                'Some settings trade safety for speed or for less memory, and some states, such as dead letters, '
                    .'wait for an operator.',
                '`php artisan spool:health` prints NOTE.',
                $sources,
            ), false, 'No event is lost because of it now.'),
        ];
    }

    public function rule(): Rule
    {
        return $this->rule;
    }

    public function examine(Facts $facts): array
    {
        $found = array_filter(
            $facts->get(BufferFindings::class)->findings,
            fn (Found $finding): bool => $finding->fatal === $this->isFatal,
        );

        return $found === [] ? [Finding::pass('spool:health reports nothing', $this->evidence('none'))] : array_map(
            fn (Found $finding): Finding => Finding::of(
                $finding,
                $this->evidence($finding->fatal ? 'FAIL' : 'NOTE'),
                $this->consequence,
                self::COMMAND,
            ),
            array_values($found),
        );
    }

    private function evidence(string $value): Evidence
    {
        return new Evidence('spool:health', $value, self::COMMAND);
    }
}
