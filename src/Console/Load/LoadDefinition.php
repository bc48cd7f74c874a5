<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Load\Plan;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputDefinition;
use Symfony\Component\Console\Input\InputOption;

/**
 * The argument and the options of `load`, under the names that k6, wrk, hey and ab gave them.
 *
 * @internal
 */
final readonly class LoadDefinition
{
    /** What LoadHelp prints, by group: the option, the name of its value, a line about it. */
    public const GROUPS = [
        'Load' => [
            ['requests', 'n', 'N', 'Send N requests in all, or iterations of a scenario, and end'],
            ['duration', 'd', 'TIME', 'Send for this long, as in 30s, 1m30s or 500ms (default 10s)'],
            ['concurrency', 'c', 'N', 'Users; with a rate, the most requests in flight (default 10, with a rate 500)'],
            ['rate', null, 'R', 'Begin R requests per second, answered or not; 600/m is 10'],
            ['ramp', null, 'FROM:TO:TIME', 'Change the users, or the rate: 0:100:30s, 0/s:100/s:1m; may be repeated'],
            ['pause', null, 'TIME', 'Wait after each answer; a number without a unit is milliseconds (default 0)'],
            ['timeout', null, 'TIME', 'Give a request up after this long'],
            ['processes', null, 'N', 'Send from N processes (default 1 for each 960 of --concurrency)'],
        ],
        'Request' => [
            ['method', 'm', 'NAME', 'The method (default GET, or POST with a body)'],
            ['header', 'H', 'LINE', "Add a header: -H 'Accept: text/html'; may be repeated"],
            ['body', null, 'TEXT', 'The body; {{n}}, {{uuid}} and {{random:A-B}} are filled in'],
            ['body-file', null, 'FILE', 'The body from a file'],
            ['scenario', null, 'FILE', 'Let each user go through the steps of this JSON file'],
            ['replay', null, 'FILE', 'Send the GET and HEAD requests of this access log, when they came'],
            ['speed', null, 'N', 'Of a replay: N times as fast, or max (default 1)'],
            ['insecure', null, null, 'Accept a certificate that cannot be verified'],
            ['i-own-this-host', null, null, 'Send to a host that is not this machine, without being asked'],
        ],
        'Checks' => [
            ['error-status', null, 'LIST', 'Statuses that are errors: 404,5xx,500-503 or none (default 4xx,5xx)'],
            ['expect-status', null, 'LIST', 'Statuses that are not, as in 200,302; all others are'],
            ['expect-body', null, 'TEXT', 'A text without which an answer is wrong'],
            [
                'threshold',
                null,
                'CONDITION',
                "End with 3 unless it holds: 'p(95)<200', 'http_req_failed<1%'; may be repeated",
            ],
        ],
        'Output' => [
            ['output', null, 'FILE', 'Write .json, .html, .jtl (JMeter) or .hgrm (percentiles); one of each'],
            ['json', null, null, 'Print the result as JSON'],
        ],
    ];

    private const REPEATED = ['ramp', 'header', 'threshold', 'output'];

    private const DEFAULTS = ['timeout' => Plan::DEFAULT_TIMEOUT.'s'];

    public static function own(): InputDefinition
    {
        $definition = new InputDefinition([
            new InputArgument('url', InputArgument::REQUIRED, 'Where to send the requests'),
        ]);

        foreach (array_merge(...array_values(self::GROUPS)) as [$name, $shortcut, $value, $line]) {
            $mode = match (true) {
                $value === null => InputOption::VALUE_NONE,
                in_array($name, self::REPEATED, true) => InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                default => InputOption::VALUE_REQUIRED,
            };
            $default = self::DEFAULTS[$name] ?? null;
            $definition->addOption(new InputOption($name, $shortcut, $mode, $line, $default));
        }

        return $definition;
    }

    /**
     * With what every command of the application has, except that -n is this command's.
     *
     * @param array<InputArgument> $arguments
     * @param array<InputOption> $options
     */
    public static function within(InputDefinition $own, array $arguments, array $options): InputDefinition
    {
        $definition = new InputDefinition([
            ...array_values($arguments),
            ...array_values($own->getArguments()),
            ...array_values($own->getOptions()),
        ]);

        foreach ($options as $option) {
            $isTaken = $option->getShortcut() !== null && $own->hasShortcut($option->getShortcut());
            $definition->addOption($isTaken
                ? new InputOption($option->getName(), null, InputOption::VALUE_NONE, $option->getDescription())
                : $option);
        }

        return $definition;
    }
}
