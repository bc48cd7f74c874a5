<?php

declare(strict_types=1);

namespace Headroom\Doctor;

use Headroom\Doctor\Facts\Fpm\UnreadableRuntime;
use Headroom\Doctor\Facts\Kernel\UnableToTell;
use Throwable;

use function sprintf;

/**
 * Asks every check. One that fails says so and stops no other.
 *
 * @internal
 */
final readonly class Examination
{
    /** @param list<Check> $checks */
    public function __construct(private array $checks) {}

    public function of(Facts $facts): Diagnosis
    {
        $verdicts = [];

        foreach ($this->checks as $check) {
            $rule = $check->rule();

            foreach ($this->findings($check, $facts) as $finding) {
                $verdicts[] = new Verdict($rule, $finding);
            }
        }

        return new Diagnosis($verdicts);
    }

    /** @return non-empty-list<Finding> */
    private function findings(Check $check, Facts $facts): array
    {
        try {
            $findings = $check->examine($facts);

            return $findings === [] ? [Finding::skipped('there is nothing here that it is about')] : $findings;
        } catch (UnknownFact|UnableToTell|UnreadableRuntime $e) {
            return [Finding::unknown($e->getMessage(), $e->command)];
        } catch (AbsentFact $e) {
            return [Finding::skipped($e->getMessage())];
        } catch (Throwable $e) {
            return [Finding::crashed(sprintf('%s: %s (%s:%d)', $e::class, $e->getMessage(), $e->getFile(), $e->getLine()))];
        }
    }
}
