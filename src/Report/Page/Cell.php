<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A cell of a Table that is more than text.
 *
 * @internal
 */
final readonly class Cell
{
    /** Relative, without a scheme or a host; or a place on this page. */
    private const LINK =
        '~\A(?:#[a-z0-9-]+|(?:\.\./)*[A-Za-z0-9_][A-Za-z0-9._-]*(?:/[A-Za-z0-9_][A-Za-z0-9._-]*)*(?:#[a-z0-9-]+)?)\z~';

    /**
     * @param string $note small, below the text: quartiles, an aim, a reason
     * @param string $link '' or where the text leads: `#id` of this page or a file in its directory,
     *     such as `queues.html#redis`
     * @throws InvalidPage
     */
    public function __construct(
        public string $text,
        public string $note = '',
        public Tone $tone = Tone::Plain,
        public string $link = '',
    ) {
        $link === '' || preg_match(self::LINK, $link) === 1 || throw InvalidPage::link($link);
    }

    /** @return array{text: string, note: string, tone: string, link: string} */
    public function toArray(): array
    {
        return ['text' => $this->text, 'note' => $this->note, 'tone' => $this->tone->value, 'link' => $this->link];
    }
}
