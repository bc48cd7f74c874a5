<?php

declare(strict_types=1);

return [
    'title' => 'Aus der Werkstatt',
    'comments' => '{0} Keine Kommentare|{1} Ein Kommentar|[2,*] :count Kommentare',
];
