<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Queues;

use Headroom\Bench\Queues\Given;
use Headroom\Bench\Queues\QueuesPage;
use Headroom\Bench\Queues\Saved;
use Headroom\Bench\Queues\Scenario;
use Headroom\Report\Page\Grid;
use Headroom\Report\Page\Page;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Tone;
use Headroom\Report\Page\Words;
use Headroom\Report\ReportFile;
use JsonException;
use RuntimeException;

/**
 * The report of a results file. The same results make the same page.
 */
final readonly class QueueReport
{
    /** @param array<string, mixed> $results of the file */
    private function __construct(private array $results) {}

    /**
     * Makes queues.html of queues.json.
     *
     * @return string its path
     */
    public static function write(string $path): string
    {
        try {
            $results = json_decode(is_file($path) ? (string) file_get_contents($path) : throw new RuntimeException("{$path} is not there. make bench-queues writes it."), true, flags: JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            throw new RuntimeException("{$path} is no JSON.");
        }

        $page = is_array($results) && ($results['experiment'] ?? null) === 'queues' && is_array($results['parts'] ?? null) && $results['parts'] !== [] ? (new self($results))->page() : throw new RuntimeException("{$path} has no results of queues.");
        $html = $page->html();
        $to = preg_replace('/\.json\z/', '', $path).'.html';

        $obstacle = ReportFile::write($to, $html);

        return $obstacle === null ? $to : throw new RuntimeException("{$to} could not be written: {$obstacle}.");
    }

    private function page(): Page
    {
        $findings = $more = [];

        foreach (Scenario::cases() as $scenario) {
            $part = $this->results['parts'][$scenario->value] ?? null;

            if ($part !== null) {
                $findings[$scenario->value] = Saved::findings($part['figures']['findings'], "parts/{$scenario->value}/figures");
            }
        }

        isset($findings['empty']) && $more[] = Article::section($findings['empty']);
        isset($this->results['parts']['by-hand']) && $more[] = (new Comparison($this->results['parts']['by-hand']['figures']['rows']))->draw();
        $first = $this->results['parts'][array_key_first($findings) ?? 'by-hand'];
        $given = new Given(...array_intersect_key($first['figures']['given'], array_flip(['jobs', 'seconds', 'workers', 'runs', 'deep'])));
        $page = (new QueuesPage($findings === [] ? throw new RuntimeException('No scenario was measured.') : $findings, $given, $first['machine'], Article::references(), [...$more, $this->parts()]))->page();

        return ($this->results['quick'] ?? false) === true
            ? new Page($page->title, $page->what, [new Section('quick', 'A quick run', [new Words('Its runs are few and short. It shows that everything works; its figures are no results.')], Tone::Alert), ...$page->sections])
            : $page;
    }

    private function parts(): Section
    {
        $lines = [];

        foreach ($this->results['parts'] as $name => $part) {
            $machine = $part['machine'];
            $lines[] = [$name, $machine['commit'], $machine['date'], "{$machine['cpu']}, {$machine['cores']} cores, PHP {$machine['php']}"];
        }

        return new Section('parts', 'Commit and date of each part', [new Grid(['', 'commit', 'date', 'machine'], $lines)]);
    }
}
