<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Report\Page\Block;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Unit;

/**
 * Article 2: what a team tried for four days, and what a doctor says of each.
 */
final readonly class Bottleneck implements Chapter
{
    private const ID = 'bottleneck';

    private const TITLE = '2. Finding the bottleneck';

    private const NOT_SAID = [
        "That the doctor would have found the article's own fault: its stack is not here. Redis stands behind a line of"
            ." ours whose delays are made up, and chosen so that 350 users come to the article's 8 seconds.",
        'How a production server behaves: nginx, PHP-FPM, Redis and the client are on one machine and talk over'
            .' loopback, with a quota of one core, then two.',
        'Means that can be compared with the article: a request is given up after 8 s here and counts with 8 s,'
            .' where JMeter waited on. So means end at 8 s here, and those of the article do not.',
        'What eight cores would have done: what limits here is on the other side of the line, so more CPU time'
            .' changes nothing.',
        'The last stages as one change each: persistent connections come with the larger limits and the larger quota of'
            .' the stages before.',
    ];

    public function __construct(private Experiment $experiment) {}

    public function headline(): Headline
    {
        $theirs = 'almost 4 days to the cause; errors 50.51 %, then 0.03 %';
        $part = $this->experiment->part('stages');

        if ($part === null) {
            return Headline::missing(self::TITLE, self::ID, $theirs, $this->experiment->command('stages'));
        }

        $stages = new BottleneckStages($this->experiment);
        [
            $named, $ill, $alarms,
        ] = array_map($part->result->number(...), ['stages_named', 'stages_ill', 'stages_false_alarms']);

        return Headline::of(
            self::TITLE,
            self::ID,
            $theirs,
            Unit::Seconds->words($part->result->number('seconds_to_cause')).' to the cause; errors '
                .Unit::Share->words($stages->errors('baseline')).', then '
                .Unit::Share->words($stages->errors('persistent')),
            Unit::Count->words($named).' of '.Unit::Count->words($ill).' causes named, '.Unit::Count->words($alarms)
                .' false alarms',
            'aim all and none',
            $named >= $ill && $alarms === 0.0,
        );
    }

    public function section(): Section
    {
        $stages = new BottleneckStages($this->experiment);

        return new Section(self::ID, self::TITLE, [
            new Paragraph(
                'The article: Scaling Laravel and finding bottlenecks. 350 users, each request given up after 8'
                    .' seconds, at a stack whose processes wait for Redis while the CPUs are idle.'
                    .' The article tried one thing after the other; here each is tried again, and the doctor is asked'
                    .' at each, anew, with the address and nothing else.',
            ),
            $stages->grid(),
            Paragraph::note(
                "The article's machine: staging servers with 2 cores and 4 GB, for one stage 8 cores and 16 GB,"
                    .' Ubuntu 18.04, PHP-FPM 7.4, nginx, Redis and MySQL as a service, JMeter; November 2020.'
                    .' It tells 0.03 % and 3,730 ms once, right behind both changes, and speaks of 0.3 % at its end.',
            ),
            ...($this->experiment->part('stages') === null ? [] : [$stages->chart()]),
            $stages->besides(),
            ...$this->mended(),
            ...(new Closing(
                $this->experiment,
                'about fifteen minutes',
                BottleneckStages::QUICK,
                self::NOT_SAID,
                true,
            ))->blocks(),
        ]);
    }

    /** @return list<Block> */
    private function mended(): array
    {
        $part = $this->experiment->part('fixes');

        return [$part === null
            ? Missing::words('Whether the text of its findings mends them', $this->experiment->command('fixes'))
            : new Paragraph(
                'Done as the finding prints it, and nothing else: '
                    .Unit::Count->words($part->result->number('stages_fixed_by_text')).' of '
                    .Unit::Count->words($part->result->number('stages_mended'))
                    .' stages that were mended so have less than 1 % of errors afterwards.',
            )];
    }
}
