<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\Piece;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Unit;

/**
 * Article 4: what preloading is worth.
 */
final readonly class Preload implements Chapter
{
    private const ID = 'preload';

    private const TITLE = '4. Preloading';

    /**
     * Times the requests per second of an unoptimised autoloader, as benchmarks/preload/README.md
     * wants it of the default list.
     */
    private const AIM = 1.9;

    private const NOT_SAID = [
        'What your application gains. Preloading spares a fixed sum for each class that a request uses:'
            .' much of a page of one millisecond, nothing to notice of one of fifty. php artisan headroom:preload:bench'
            .' measures yours.',
        'Anything that can be compared with the article but ratios: its application is not here, it ran `ab` once for'
            .' each list in a container beside more than 20 others with Xdebug, and it gives no spread.',
        'How many requests a server takes: client, nginx and PHP share one machine. The time of nginx and of the kernel'
            .' is in requests/s, and no list changes it.',
        'What preloading alone does, where it stands against plain: the lists are preloaded into a release with an'
            .' authoritative map of classes. The row of that map alone says how much of the gain it is.',
        'What the staging servers on Kubernetes of the article gained: there are none here.',
    ];

    public function __construct(private Experiment $experiment) {}

    public function headline(): Headline
    {
        $theirs = '21.78 requests/s, 25.16 with hot files (1.16x), 26.54 at best (1.22x)';
        $hot = (new PreloadTable($this->experiment))->finding('hot');

        if ($hot === null) {
            return Headline::missing(self::TITLE, self::ID, $theirs, $this->experiment->command());
        }

        $ratio = $hot->number('rps_ratio_to_plain');
        $pages = array_map(
            static fn (string $page, Piece $paired): string => substr($page, (int) strrpos($page, '/') + 1).' '
                .Unit::Times->words($paired->number('ratio')),
            array_keys($hot->at('rates_to_plain')->all()),
            array_values($hot->at('rates_to_plain')->all()),
        );

        return Headline::of(
            self::TITLE,
            self::ID,
            $theirs,
            'hot files, requests/s to plain: '.implode(', ', $pages),
            Unit::Times->words($ratio).' at the page that gains least, where the article has 1.16x',
            'aim '.Unit::Times->words(self::AIM).', our own and no figure of the article',
            $ratio >= self::AIM,
        );
    }

    public function section(): Section
    {
        $table = new PreloadTable($this->experiment);

        return new Section(self::ID, self::TITLE, [
            new Paragraph(
                'The article: Preloading Laravel on PHP7.4 in the real world. Lists of files for `opcache.preload`,'
                    .' each made another way. The article measured one page; here three pages are measured,'
                    .' and requests per second at two of them, all lists in turns.',
            ),
            $table->grid(),
            Paragraph::note(
                "The article's machine is not told: a Docker container with opcache and Xdebug, beside more than 20 "
                    .'others; PHP 7.4, Laravel 8, `ab -n 100 -c 5`; the year is not told. Its milliseconds are those '
                    .'of five requests at once. Here: requests/s against plain, which is `composer dump-autoload`; '
                    .'small the quartiles of the rounds. The aim of '.Unit::Times->words(self::AIM)
                    .' is our own: it is wanted of hot files, the list that is made by default, against an autoloader'
                    .' that was never optimised.',
            ),
            ...($this->experiment->part('strategies') === null ? [] : [$table->chart()]),
            ...(new Closing(
                $this->experiment,
                'about twenty-five minutes',
                PreloadTable::QUICK,
                self::NOT_SAID,
                true,
            ))->blocks(),
        ]);
    }
}
